// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ledger.h"

#include <doctest/doctest.h>

#include <random>

namespace logweir {

TEST_CASE("a position moves only over the contiguous prefix that a lane is done with") {
  Ledger ledger({"a"}, nullptr);
  SourceState* source = ledger.open(1, 0);
  ReceiptRef first = ledger.begin(*source, 0, 10);
  ReceiptRef second = ledger.begin(*source, 10, 20);
  Receipt& one = *first.get();
  Receipt& two = *second.get();
  ledger.owe(one, 0);
  ledger.owe(two, 0);
  first.reset();
  second.reset();
  ledger.settled(two, 0);
  CHECK(Ledger::prefix_of(*source) == 0);
  ledger.settled(one, 0);
  CHECK(Ledger::prefix_of(*source) == 20);
}

TEST_CASE("a receipt held back by a filter holds the position") {
  Ledger ledger({"a"}, nullptr);
  SourceState* source = ledger.open(1, 0);
  ReceiptRef parked = ledger.begin(*source, 0, 10);
  ledger.begin(*source, 10, 30).reset();
  CHECK(Ledger::prefix_of(*source) == 0);
  parked.reset();
  CHECK(Ledger::prefix_of(*source) == 30);
}

TEST_CASE("each lane has a prefix of its own and the source's is the smallest") {
  Ledger ledger({"a", "b"}, nullptr);
  SourceState* source = ledger.open(1, 5);
  ReceiptRef held = ledger.begin(*source, 5, 9);
  Receipt& receipt = *held.get();
  ledger.owe(receipt, 1);
  held.reset();
  CHECK(source->lanes[0].prefix == 9);
  CHECK(source->lanes[1].prefix == 5);
  CHECK(Ledger::prefix_of(*source) == 5);
  ledger.settled(receipt, 1);
  CHECK(Ledger::prefix_of(*source) == 9);
}

TEST_CASE("a closed source says so once its last receipt is done") {
  Ledger ledger({"a"}, nullptr);
  SourceState* source = ledger.open(0, 0);
  ReceiptRef held = ledger.begin(*source, 0, 1);
  bool finished = false;
  ledger.close(source, true, [&] { finished = true; });
  CHECK_FALSE(finished);
  held.reset();
  CHECK(finished);
}

TEST_CASE("bytes that gave no record move the position") {
  Ledger ledger({"a", "b"}, nullptr);
  SourceState* source = ledger.open(1, 0);
  ledger.begin(*source, 0, 100).reset();
  CHECK(Ledger::prefix_of(*source) == 100);
  ledger.begin(*source, 150, 160).reset();
  CHECK(Ledger::prefix_of(*source) == 160);
}

TEST_CASE("random outcomes in any order never let a prefix pass an open range") {
  std::minstd_rand random(42);
  Ledger ledger({"a", "b", "c"}, nullptr);
  SourceState* source = ledger.open(1, 0);
  struct Owed {
    Receipt* receipt;
    std::size_t lane;
    std::uint64_t begin;
  };
  std::vector<Owed> owed;
  std::uint64_t end = 0;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 3 == 0 || owed.empty()) {
      ReceiptRef held = ledger.begin(*source, end, end + 10);
      for (std::size_t lane = 0; lane < 3; ++lane) {
        if (random() % 2 == 0) continue;
        ledger.owe(*held.get(), lane);
        owed.push_back({held.get(), lane, end});
      }
      end += 10;
    } else {
      const std::size_t pick = random() % owed.size();
      const Owed done = owed[pick];
      owed[pick] = owed.back();
      owed.pop_back();
      ledger.settled(*done.receipt, done.lane);
    }
    for (std::size_t lane = 0; lane < 3; ++lane) {
      std::uint64_t want = end;
      for (const Owed& o : owed) {
        if (o.lane == lane) want = std::min(want, o.begin);
      }
      if (step % 50 == 0) REQUIRE(source->lanes[lane].prefix == want);
    }
  }
}

TEST_CASE("a report shows the sources that are furthest behind, no more than asked for") {
  Ledger ledger({"a"}, nullptr);
  std::vector<ReceiptRef> held;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    SourceState* source = ledger.open(i, 0, "/log/" + std::to_string(i));
    held.push_back(ledger.begin(*source, 0, 10 * i));
  }
  const auto report = ledger.report(2);
  REQUIRE(report.size() == 2);
  CHECK(report[0].name == "/log/3");
  CHECK(report[0].read_to == 30);
  CHECK(report[0].prefixes == std::vector<std::uint64_t>{0});
  CHECK(report[1].name == "/log/2");
  CHECK(ledger.source_count() == 3);
}

TEST_CASE("sources that are closed in any order leave the others as they were") {
  Ledger ledger({"a"}, nullptr);
  std::vector<SourceState*> sources;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    sources.push_back(ledger.open(i, 0, "/log/" + std::to_string(i)));
    ledger.begin(*sources.back(), 0, i).reset();
  }
  int finished = 0;
  const auto close = [&](std::size_t i) { ledger.close(sources[i - 1], false, [&] { ++finished; }); };
  close(1);
  close(5);
  close(3);
  CHECK(finished == 3);
  const auto report = ledger.report(10);
  REQUIRE(report.size() == 2);
  CHECK(report[0].name == "/log/2");
  CHECK(report[0].read_to == 2);
  CHECK(report[1].name == "/log/4");
  CHECK(report[1].read_to == 4);
  close(4);
  close(2);
  CHECK(finished == 5);
  CHECK(ledger.source_count() == 0);
}

TEST_CASE("what a lane leaves to be read again holds its prefix, not the other lane's, and keeps the source") {
  Ledger ledger({"live", "dead"}, nullptr);
  SourceState* const source = ledger.open(1, 0, "/log/1");
  bool finished = false;
  const auto delivered = [&](std::size_t lane) { return Ledger::prefix_of(*source, lane); };
  ReceiptRef first = ledger.begin(*source, 0, 10);
  Receipt& held = *first.get();
  ledger.owe(held, 1);
  first.reset();
  SourceState* const second = ledger.open_second(*source, 1, 10);
  ledger.begin(*source, 10, 30);
  CHECK(delivered(0) == 30);
  CHECK(delivered(1) == 0);
  ledger.settled(held, 1);
  CHECK(delivered(1) == 10);
  ReceiptRef again = ledger.begin(*second, 10, 20);
  Receipt& owed = *again.get();
  ledger.owe(owed, 1);
  again.reset();
  CHECK(delivered(1) == 10);
  ledger.settled(owed, 1);
  CHECK(delivered(1) == 20);
  ledger.close(source, false, [&] { finished = true; });
  CHECK_FALSE(finished);
  CHECK(ledger.source_count() == 1);
  CHECK(ledger.report(5).size() == 1);
  ledger.begin(*second, 20, 30);
  CHECK(delivered(1) == 30);
  ledger.close_second(*second);
  CHECK(finished);
  CHECK(ledger.source_count() == 0);
}

TEST_CASE("a lane that leaves more while what it read again is under way goes on with the same second reading") {
  Ledger ledger({"live", "dead"}, nullptr);
  SourceState* const source = ledger.open(1, 0, "/log/1");
  SourceState* const second = ledger.open_second(*source, 1, 0);
  ledger.begin(*source, 0, 10);
  ReceiptRef again = ledger.begin(*second, 0, 10);
  Receipt& owed = *again.get();
  ledger.owe(owed, 1);
  again.reset();
  ledger.close_second(*second);
  ledger.begin(*source, 10, 20);
  CHECK(ledger.open_second(*source, 1, 20) == second);
  ledger.begin(*source, 20, 30);
  CHECK(Ledger::prefix_of(*source, 1) == 0);
  ledger.settled(owed, 1);
  CHECK(Ledger::prefix_of(*source, 1) == 20);
  ledger.begin(*second, 20, 30);
  ledger.close_second(*second);
  CHECK(Ledger::prefix_of(*source, 1) == 30);
}

}  // namespace logweir
