// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/parser_options.h"
#include "plugins/inputs/stdin/framer.h"
#include "support/capture_intake.h"
#include "support/fake_clock.h"

namespace logweir {

namespace {

using stdin_in::LineFramer;
using Lines = std::vector<std::string>;

struct StdinBench {
  explicit StdinBench(std::size_t limit = 1 << 20, bool json = false) {
    Origin origin;
    origin.tag = intake.tag("t");
    if (json) {
      ParserOptions options;
      options.format = "json";
      decoder = std::move(make_decoder(options)).value();
    }
    framer = std::make_unique<LineFramer>(LineFramer::Setup{intake, clock, OriginRef::make(std::move(origin)),
                                                            intake.open_source({}), limit, decoder.get()});
  }
  void feed(std::string_view text, std::size_t piece) {
    while (!text.empty()) {
      const std::span<char> to = framer->space();
      const std::size_t size = std::min({to.size(), text.size(), piece});
      REQUIRE(size > 0);
      std::memcpy(to.data(), text.data(), size);
      framer->received(size);
      text.remove_prefix(size);
    }
  }
  FakeClock clock;
  CaptureIntake intake;
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<LineFramer> framer;
};

}  // namespace

TEST_CASE("stdin is cut into lines, however it comes, the last one without a newline included") {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
    StdinBench bench;
    bench.feed("one\r\n\ntwo\nlast", piece);
    bench.framer->finish();
    CHECK(bench.intake.texts() == Lines{"one", "two", "last"});
    CHECK(bench.intake.lines[1].position == 6);
    CHECK(bench.intake.disorder == 0);
  }
}

TEST_CASE("a long line of stdin is cut once, marked, and its rest passed over") {
  for (const std::size_t piece : {std::size_t{3}, std::size_t{1000}}) {
    StdinBench bench(8);
    bench.feed("12345678\r\n" + std::string(100, 'x') + "\nok\n123456789\n", piece);
    CHECK(bench.intake.texts() == Lines{"12345678", "xxxxxxxx", "ok", "12345678"});
    CHECK(bench.intake.truncated == 2);
  }
}

TEST_CASE("many megabytes of stdin keep their order and pin no more than they need") {
  StdinBench bench;
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + std::string(200, '.') + "\n";
  bench.feed(text, 65'536);
  REQUIRE(bench.intake.lines.size() == 20'000);
  CHECK(bench.intake.lines.back().text.starts_with("19999."));
  CHECK(bench.intake.pinned() <= 1);
}

TEST_CASE("a line of stdin that is a JSON object is a record, others stay text for the parser") {
  StdinBench bench(1000, true);
  bench.intake.keep_batches = true;
  bench.feed("{\"a\":1}\nplain\n", 1000);
  REQUIRE(bench.intake.lines.size() == 2);
  CHECK(bench.intake.lines[0].body == Body::json);
  CHECK(bench.intake.lines[1].body == Body::text);
  CHECK(bench.intake.kept[0]->records[1].flags == 0);
}

}  // namespace logweir
