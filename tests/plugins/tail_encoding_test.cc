// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "support/tail_bench.h"

namespace logweir {

namespace {

using Lines = std::vector<std::string>;

std::string wide(std::u16string_view text, bool big = false) {
  std::string out;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xff);
    const char high = static_cast<char>(unit >> 8);
    out += big ? high : low;
    out += big ? low : high;
  }
  return out;
}

}  // namespace

TEST_CASE("UTF-16 is told by its byte order mark, each file for itself") {
  TailBench bench{{"unicode.encoding", "auto"}};
  bench.write("a.log", wide(u"\ufeffone \u010a \u0a00\r\ntwo\n"));
  bench.write("b.log", wide(u"\ufeffthree\n", true));
  bench.write("c.log", "vier\xc3\xa4\n");
  bench.start();
  REQUIRE(bench.gets_count(4));
  Lines lines = bench.lines();
  std::sort(lines.begin(), lines.end());
  CHECK(lines == Lines{"one Ċ ਀", "three", "two", "vierä"});
}

TEST_CASE("a line and a unit of UTF-16 that come in pieces are put together") {
  TailBench bench{{"unicode.encoding", "auto"}};
  const std::string text = wide(u"\ufeffone\n\u0a0a two\n");
  bench.start();
  for (const char c : text) {
    bench.write("a.log", std::string(1, c));
    bench.pass(5 * kMillisecond);
  }
  CHECK(bench.gets({"one", "ਊ two"}));
  CHECK(bench.intake().lines[1].position == 10);
  CHECK(bench.intake().lines[1].span == 12);
}

TEST_CASE("a restart in the middle of a UTF-16 file goes on at the next line") {
  TailBench bench{{"unicode.encoding", "auto"}};
  bench.write("a.log", wide(u"\ufeffone\ntwo\nhal"));
  bench.start();
  REQUIRE(bench.gets({"one", "two"}));
  bench.stop();
  bench.write("a.log", wide(u"f\nfour\n"));
  bench.start();
  CHECK(bench.gets({"one", "two", "half", "four"}));
}

TEST_CASE("a UTF-16 file is rotated by rename and by copytruncate, its split line is joined") {
  TailBench bench{{"unicode.encoding", "auto"}, {"path", "a.log"}};
  bench.write("a.log", wide(u"\ufeffone\nhalf of "));
  bench.start();
  REQUIRE(bench.gets({"one"}));
  bench.move("a.log", "a.log.1");
  bench.write("a.log", wide(u"\ufeffa line\nthree\n"));
  REQUIRE(bench.gets({"one", "half of a line", "three"}));
  bench.copy("a.log", "a.log.2");
  std::filesystem::resize_file(bench.directory.file("a.log"), 0);
  bench.write("a.log", wide(u"\ufefffour\n", true));
  CHECK(bench.gets({"one", "half of a line", "three", "four"}));
}

TEST_CASE("without read_from_head a UTF-16 file is begun at its last whole line") {
  TailBench bench{{"unicode.encoding", "UTF-16LE"}, {"read_from_head", "off"}};
  bench.write("a.log", wide(u"\ufeffold\n\u0a0a ha"));
  bench.start();
  REQUIRE(bench.until([&] { return bench.memory.facts.contains("began"); }));
  bench.write("a.log", wide(u"lf\n"));
  CHECK(bench.gets({"ਊ half"}));
}

TEST_CASE("an older encoding is decoded, what is ill-formed is counted") {
  TailBench bench{{"generic.encoding", "ShiftJIS"}};
  bench.write("a.log", "\x93\xfa\x96\x7b\nplain \\\nbad \xff!\n");
  bench.start();
  CHECK(bench.gets({"日本", "plain \\", "bad \xef\xbf\xbd!"}));
  CHECK(bench.metrics().scrape().find("logweir_input_replaced_sequences_total{input=\"tail.0\"} 1") !=
        std::string::npos);
}

TEST_CASE("a long line of UTF-16 is cut between characters and marked") {
  TailBench bench{{"unicode.encoding", "UTF-16LE"}, {"buffer_max_size", "17"}};
  bench.write("a.log",
              wide(u"12345678\n1234567\U0001f600 9\nok\n") + wide(std::u16string(70'000, u'x')) + wide(u"\nlast\n"));
  bench.start();
  CHECK(bench.gets({"12345678", "1234567", "ok", "xxxxxxxx", "last"}));
  CHECK(bench.intake().truncated == 2);
}

TEST_CASE("half a unit at the end of a UTF-16 file stays until the other half comes") {
  TailBench bench{{"unicode.encoding", "UTF-16LE"}, {"partial_timeout", "50ms"}};
  bench.write("a.log", wide(u"one\ntw").substr(0, 11));
  bench.start();
  REQUIRE(bench.gets({"one", "t"}));
  bench.write("a.log", wide(u"w\n").substr(1));
  CHECK(bench.gets({"one", "t", "w"}));
}

TEST_CASE("a conf with an unknown encoding, or with two, is refused") {
  using Keys = std::vector<std::pair<std::string, std::string>>;
  for (const Keys& keys : {Keys{{"path", "a"}, {"generic.encoding", "EBCDIC"}},
                           Keys{{"path", "a"}, {"generic.encoding", "GBK"}, {"unicode.encoding", "auto"}}}) {
    CHECK(problems_of(kTailInput.schema, kTailInput.make_options(), keys).failed());
  }
}

}  // namespace logweir
