// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "plugin/entry.h"
#include "support/capture_intake.h"
#include "support/capture_log.h"
#include "support/options.h"
#include "support/run_loop.h"

namespace logweir {

extern const InputEntry kDummyInput;

namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

struct DummyBench {
  explicit DummyBench(const Keys& keys, unsigned worker = 0)
      : services{loop, intake, log.log(), metrics, desk, "dummy.0", "t", worker, 2, 7, [] {}} {
    const std::shared_ptr<void> options = kDummyInput.make_options();
    REQUIRE(!problems_of(kDummyInput.schema, options, keys).failed());
    intake.keep_batches = true;
    input = kDummyInput.make(options, nullptr);
    REQUIRE(input->open(services).ok());
  }
  ~DummyBench() { input->close(); }
  bool gets(std::size_t count) {
    return run_until(loop, [&] { return intake.lines.size() >= count; });
  }
  [[nodiscard]] Nanos time_of(std::size_t batch) const { return intake.kept[batch]->records.front().time; }

  SystemClock clock;
  Loop loop{clock};
  Jobs jobs{1};
  Jobs::Desk desk{jobs, loop};
  Metrics metrics;
  CaptureLog log;
  CaptureIntake intake;
  InputServices services;
  std::unique_ptr<Input> input;
};

bool refused(const Keys& keys) { return problems_of(kDummyInput.schema, kDummyInput.make_options(), keys).failed(); }

}  // namespace

TEST_CASE("dummy makes as many samples as were asked for, each with its copies, and no more") {
  DummyBench bench({{"dummy", R"({"k": "v"})"}, {"rate", "2000"}, {"samples", "50"}, {"copies", "3"}});
  REQUIRE(bench.gets(150));
  const Nanos until = bench.loop.now() + 20 * kMillisecond;
  run_until(bench.loop, [&] { return bench.loop.now() >= until; });
  CHECK(bench.intake.lines.size() == 150);
  CHECK(bench.intake.disorder == 0);
  CHECK(bench.intake.lines[149].text == R"({"k": "v"})");
  CHECK(bench.intake.lines[149].body == Body::json);
  CHECK(bench.intake.lines[149].position == 149);
}

TEST_CASE("dummy's times begin where they are asked to and go on, or stand still") {
  DummyBench moving({{"interval_nsec", "2000000"}, {"start_time_sec", "1000"}, {"samples", "3"}});
  REQUIRE(moving.gets(3));
  CHECK(moving.time_of(0) >= 1000 * kSecond);
  CHECK(moving.time_of(0) < 1060 * kSecond);
  CHECK(moving.time_of(moving.intake.kept.size() - 1) > 1000 * kSecond);
  DummyBench fixed({{"interval_nsec", "1000000"},
                    {"start_time_sec", "1000"},
                    {"start_time_nsec", "5"},
                    {"fixed_timestamp", "on"},
                    {"samples", "3"}});
  REQUIRE(fixed.gets(3));
  for (std::size_t i = 0; i < fixed.intake.kept.size(); ++i) CHECK(fixed.time_of(i) == 1000 * kSecond + 5);
}

TEST_CASE("a paused dummy leaves out what was due meanwhile") {
  DummyBench bench(Keys{{"rate", "1000"}});
  bench.input->pause();
  const Nanos until = bench.loop.now() + 50 * kMillisecond;
  run_until(bench.loop, [&] { return bench.loop.now() >= until; });
  CHECK(bench.intake.lines.empty());
  bench.input->resume();
  REQUIRE(bench.gets(1));
  CHECK(bench.intake.lines.size() < 40);
}

TEST_CASE("only the first worker makes dummies") {
  DummyBench bench({{"rate", "1000"}, {"flush_on_startup", "on"}}, 1);
  const Nanos until = bench.loop.now() + 10 * kMillisecond;
  run_until(bench.loop, [&] { return bench.loop.now() >= until; });
  CHECK(bench.intake.lines.empty());
}

TEST_CASE("a dummy that is no JSON object is refused") {
  CHECK(refused(Keys{{"dummy", "text"}}));
  CHECK(refused(Keys{{"dummy", "[1]"}}));
  CHECK(refused(Keys{{"metadata", "1"}}));
  CHECK(!refused(Keys{{"dummy", R"({"a":{"b":[1]}})"}}));
}

}  // namespace logweir
