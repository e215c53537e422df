// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include "support/line_bench.h"

namespace logweir {

TEST_CASE("a line goes from input to output and its position follows the outcome") {
  LineBench bench;
  bench.output("a");
  bench.open();
  REQUIRE(bench.opened());
  bench.in().say({"one", "two"});
  bench.pass();
  CHECK(Ledger::prefix_of(*bench.in().source) == 0);
  bench.out(0).deliver_all();
  CHECK(bench.out(0).delivered == std::vector<std::string>{"one", "two"});
  CHECK(Ledger::prefix_of(*bench.in().source) == 8);
}

TEST_CASE("the position follows what was delivered of a batch whose rest must wait") {
  LineBench bench;
  bench.output("a");
  bench.open();
  bench.out(0).capacity = 2;
  bench.in().say({"aa", "bb", "cc", "dd"});
  bench.pass();
  bench.out(0).settle(2, Outcome::delivered);
  CHECK(Ledger::prefix_of(*bench.in().source) == 6);
  bench.out(0).capacity = SIZE_MAX;
  bench.pipeline->hurry();
  bench.out(0).deliver_all();
  bench.pass();
  bench.out(0).deliver_all();
  CHECK(Ledger::prefix_of(*bench.in().source) == 12);
}

TEST_CASE("the position follows what was delivered before the batch was quite routed") {
  LineBench bench;
  bench.output("a");
  bench.open();
  bench.out(0).at_once = 2;
  const std::string line(40 * 1024, 'x');  // enough to be sent at once, inside the delivery
  bench.in().say({line, line, line});
  bench.out(0).at_once = 0;
  bench.out(0).capacity = 0;
  REQUIRE(bench.out(0).delivered.size() >= 2);
  CHECK(Ledger::prefix_of(*bench.in().source) == bench.out(0).delivered.size() * (line.size() + 1));
}

TEST_CASE("a full lane with block pauses the input and lets it go on at the low mark") {
  LaneOptions small;
  small.queue_bytes.value = 2000;
  LineBench bench;
  bench.output("a", small);
  bench.open();
  bench.out(0).capacity = 0;
  for (int i = 0; i < 100 && !bench.in().paused; ++i) bench.in().say({"some line of a log"});
  CHECK(bench.in().paused);
  bench.out(0).capacity = SIZE_MAX;
  bench.pass(kSecond);
  bench.pipeline->hurry();
  bench.out(0).deliver_all();
  bench.pass();
  bench.out(0).deliver_all();
  bench.pass();
  CHECK_FALSE(bench.in().paused);
}

TEST_CASE("a dead output does not hold the other one back before its own budget is used up") {
  LineBench bench;
  bench.output("dead");
  bench.output("live");
  bench.open();
  bench.out(0).down = true;
  for (int i = 0; i < 1000; ++i) {
    bench.in().say({"line " + std::to_string(i)});
    bench.pass();
    bench.out(1).deliver_all();
  }
  CHECK(bench.out(1).delivered.size() == 1000);
  CHECK_FALSE(bench.in().paused);
  CHECK(Ledger::prefix_of(*bench.in().source) == 0);
  CHECK(bench.discrepancy() == 0);
}

TEST_CASE("records that match no output are counted and let the position pass") {
  LineBench bench;
  bench.output("a", {}, "other.*");
  bench.open();
  bench.in().say({"x", "y"});
  bench.pass();
  CHECK(bench.pipeline->snapshot().ledger.unrouted == 2);
  CHECK(Ledger::prefix_of(*bench.in().source) == 4);
}

TEST_CASE("a memory limit that is used up pauses the input, not the way out") {
  LineBench bench(4 << 20);
  LaneOptions wide;
  wide.queue_bytes.value = 1 << 30;
  bench.output("a", wide);
  bench.open();
  bench.out(0).capacity = 0;
  const std::string line(100 * 1024, 'x');
  for (int i = 0; i < 1000 && !bench.in().paused; ++i) bench.in().say({line});
  REQUIRE(bench.in().paused);
  bench.out(0).capacity = SIZE_MAX;
  bench.pipeline->hurry();
  for (int i = 0; i < 100; ++i) {
    bench.out(0).deliver_all();
    bench.pass(10 * kMillisecond);
  }
  CHECK_FALSE(bench.in().paused);
  CHECK(bench.discrepancy() == 0);
}

TEST_CASE("the ledger's equation holds in every snapshot while filters drop, batches split and lanes stall") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::minstd_rand random(seed);
    LineBench bench;
    LaneOptions shedding;
    shedding.queue_bytes.value = 3000;
    shedding.when_full = WhenFull::drop_oldest;
    shedding.batch_records = 3;
    LaneOptions limited;
    limited.retry_limit = "2";
    limited.batch_records = 5;
    bench.drop_word("7");
    bench.output("a");
    bench.output("b", shedding);
    bench.output("c", limited);
    bench.open();
    for (int step = 0; step < 1500; ++step) {
      std::vector<std::string> lines;
      for (unsigned i = 0; i < random() % 12; ++i) lines.push_back("n" + std::to_string(random() % 1000));
      bench.in().say(lines);
      for (std::size_t lane = 0; lane < 3; ++lane) {
        FakeOutput& out = bench.out(lane);
        out.capacity = random() % 20;
        out.down = random() % 10 == 0;
        const auto some = static_cast<std::size_t>(random() % (out.held.size() + 1));
        out.settle(some, static_cast<Outcome>(random() % 3));
      }
      bench.pass(static_cast<Nanos>(random() % 400) * kMillisecond);
      REQUIRE_MESSAGE(bench.discrepancy() == 0, "seed ", seed, " step ", step);
    }
  }
}

}  // namespace logweir
