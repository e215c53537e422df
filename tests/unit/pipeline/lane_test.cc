// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane.h"

#include <doctest/doctest.h>

#include <random>

#include "support/fake_clock.h"
#include "support/fake_output.h"

namespace logweir {

namespace {

// One lane with a source, a fake output and a clock that stands still.
struct Ground {
  explicit Ground(LaneOptions options = {}, Nanos linger = 0) {
    lane = std::make_unique<Lane>(
        Lane::Setup{loop, ledger, metrics, pool, Log(), "out.0", 0, options, linger, 1, [this] { ++room; }});
    output.attach(*lane);
    lane->attach(output);
    source = ledger.open(1, 0);
    tag = {"t", 0};
  }
  ~Ground() { lane->abandon(); }

  void put(int count) {
    BatchRef batch = batches.make();
    batch->origin = OriginRef::make({&tag, "log", {}, {}, 0});
    ChunkRef chunk = pool.take(Use::intake);
    batch->hold(chunk);
    batch->read_at = loop.now();
    for (int i = 0; i < count; ++i) {
      const std::string text = std::to_string(next++);
      Record record;
      record.data = chunk->free_space();
      record.size = static_cast<std::uint32_t>(text.size());
      record.position = position;
      text.copy(chunk->free_space(), text.size());
      chunk->used += record.size;
      batch->bytes += record.size;
      batch->records.push_back(record);
    }
    batch->receipt = ledger.begin(*source, position, position + 1);
    ++position;
    batch->claim = batch->receipt.get();
    ledger.counts.read += static_cast<std::uint64_t>(count);
    lane->enqueue(batch, 0, static_cast<std::uint32_t>(count));
    batch->receipt.reset();
  }
  // One batch whose records have a position each.
  void put_positions(int count) {
    BatchRef batch = batches.make();
    batch->origin = OriginRef::make({&tag, "log", {}, {}, 0});
    ChunkRef chunk = pool.take(Use::intake);
    batch->hold(chunk);
    batch->read_at = loop.now();
    const std::uint64_t begin = position;
    for (int i = 0; i < count; ++i) {
      const std::string text = std::to_string(next++);
      Record record;
      record.data = chunk->free_space();
      record.size = static_cast<std::uint32_t>(text.size());
      record.position = position++;
      text.copy(chunk->free_space(), text.size());
      chunk->used += record.size;
      batch->bytes += record.size;
      batch->records.push_back(record);
    }
    batch->receipt = ledger.begin(*source, begin, position);
    batch->claim = batch->receipt.get();
    ledger.counts.read += static_cast<std::uint64_t>(count);
    lane->enqueue(batch, 0, static_cast<std::uint32_t>(count));
    batch->receipt.reset();
  }
  void pass(Nanos time) {
    clock.advance(time);
    loop.run_once();
  }
  [[nodiscard]] std::int64_t discrepancy() const {
    LedgerCounts counts = ledger.counts;
    counts.waiting = lane->waiting_records();
    return counts.discrepancy();
  }
  [[nodiscard]] std::vector<std::string> sequence(int count) const {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(std::to_string(i));
    return all;
  }

  FakeClock clock;
  Loop loop{clock};
  Budget budget{256 << 20};
  Account account{budget};
  Pool pool{account};
  BatchPool batches{pool};
  Metrics metrics;
  Ledger ledger{{"out.0"}, nullptr};
  FakeOutput output;
  Tag tag;
  SourceState* source = nullptr;
  std::uint64_t position = 0;
  int next = 0;
  int room = 0;
  std::unique_ptr<Lane> lane;
};

}  // namespace

TEST_CASE("an idle output gets at the turn's end what came in it, in one shipment") {
  Ground ground;
  ground.put(2);
  ground.put(3);
  CHECK(ground.output.sends == 0);
  ground.pass(0);
  CHECK(ground.output.sends == 1);
  CHECK(ground.output.held.size() == 5);
}

TEST_CASE("records gather while the output is busy and leave in order") {
  Ground ground;
  ground.output.capacity = 2;
  for (int i = 0; i < 5; ++i) ground.put(2);
  ground.pass(0);
  while (!ground.lane->empty()) {
    ground.output.deliver_all();
    ground.pass(0);
  }
  CHECK(ground.output.delivered == ground.sequence(10));
  CHECK(Ledger::prefix_of(*ground.source) == 5);
}

TEST_CASE("linger gathers until its time or until the shipment is full") {
  LaneOptions options;
  options.batch_records = 4;
  Ground ground(options, 50 * kMillisecond);
  ground.put(3);
  ground.pass(0);
  CHECK(ground.output.sends == 0);
  ground.pass(60 * kMillisecond);
  CHECK(ground.output.sends == 1);
  ground.put(4);
  ground.pass(0);
  CHECK(ground.output.sends == 2);
}

TEST_CASE("what must be sent again goes out after a back-off, before anything newer") {
  Ground ground;
  ground.put(4);
  ground.pass(0);
  ground.put(1);
  ground.pass(0);
  ground.output.settle(1, Outcome::delivered);
  ground.output.settle(4, Outcome::retry);
  ground.put(2);
  ground.pass(0);
  CHECK(ground.output.held.empty());
  ground.pass(2 * kSecond);
  ground.output.deliver_all();
  CHECK(ground.output.delivered == ground.sequence(7));
  CHECK(ground.discrepancy() == 0);
}

TEST_CASE("what is given back while it is being offered goes before what was not taken of the same offer") {
  Ground ground;
  ground.output.at_once = 3;
  ground.output.at_once_as = Outcome::retry;
  ground.put(4);
  ground.put(4);
  ground.pass(0);
  ground.output.at_once = 0;
  ground.pass(5 * kSecond);
  ground.output.deliver_all();
  CHECK(ground.output.delivered == ground.sequence(8));
}

TEST_CASE("a record has one outcome in the metrics") {
  Ground ground;
  ground.put(3);
  ground.pass(0);
  ground.output.settle(3, Outcome::rejected);
  const std::string text = ground.metrics.scrape();
  CHECK(text.find("outcome=\"rejected\",output=\"out.0\"} 3") != std::string::npos);
  CHECK(text.find("outcome=\"dropped\",output=\"out.0\"} 0") != std::string::npos);
}

TEST_CASE("one back-off serves the whole lane however many ranges failed") {
  Ground ground;
  for (int i = 0; i < 10; ++i) {
    ground.put(1);
    ground.pass(0);
  }
  for (int i = 0; i < 10; ++i) ground.output.settle(1, Outcome::retry);
  const std::uint64_t sends = ground.output.sends;
  ground.pass(2 * kSecond);
  CHECK(ground.output.sends == sends + 1);
}

TEST_CASE("the retry limit drops with a count and the position moves on") {
  LaneOptions options;
  options.retry_limit = "1";
  Ground ground(options);
  ground.put(3);
  for (int i = 0; i < 2; ++i) {
    ground.pass(5 * kSecond);
    ground.output.settle(3, Outcome::retry);
  }
  CHECK(ground.lane->empty());
  CHECK(ground.ledger.counts.dropped == 3);
  CHECK(Ledger::prefix_of(*ground.source) == 1);
  CHECK(ground.discrepancy() == 0);
}

TEST_CASE("a peer that is not there uses up the retry limit as well") {
  LaneOptions options;
  options.retry_limit = "2";
  Ground ground(options);
  ground.output.down = true;
  ground.put(3);
  for (int i = 0; i < 3; ++i) ground.pass(10 * kSecond);
  CHECK(ground.lane->empty());
  CHECK(ground.ledger.counts.dropped == 3);
  CHECK(ground.discrepancy() == 0);
}

TEST_CASE("block says full at the high mark and room at the low mark") {
  LaneOptions options;
  options.queue_bytes.value = 1000;
  Ground ground(options);
  ground.output.capacity = 0;
  while (!ground.lane->full()) ground.put(1);
  ground.output.capacity = SIZE_MAX;
  ground.lane->ready();
  CHECK(ground.room == 0);
  ground.output.deliver_all();
  CHECK(ground.room == 1);
  CHECK_FALSE(ground.lane->full());
}

TEST_CASE("drop_newest keeps the old records and drop_oldest the new ones") {
  for (const WhenFull policy : {WhenFull::drop_newest, WhenFull::drop_oldest}) {
    LaneOptions options;
    options.queue_bytes.value = 10 * sizeof(Record);
    options.when_full = policy;
    Ground ground(options);
    ground.output.capacity = 0;
    for (int i = 0; i < 40; ++i) ground.put(1);
    ground.output.capacity = SIZE_MAX;
    ground.lane->ready();
    ground.output.deliver_all();
    REQUIRE_FALSE(ground.output.delivered.empty());
    CHECK(ground.output.delivered.front() == (policy == WhenFull::drop_newest ? "0" : "31"));
    CHECK(ground.ledger.counts.dropped + ground.output.delivered.size() == 40);
    CHECK(ground.discrepancy() == 0);
  }
}

TEST_CASE("a peer that is not there is asked again after a growing wait and at once when hurried") {
  Ground ground;
  ground.output.down = true;
  ground.put(1);
  ground.pass(0);
  CHECK(ground.output.sends == 1);
  ground.pass(100 * kMillisecond);
  CHECK(ground.output.sends == 1);
  ground.output.down = false;
  ground.lane->hurry();
  CHECK(ground.output.sends == 2);
}

TEST_CASE("what waits over a second leaves chunks that it uses little of") {
  Ground ground;
  ground.output.capacity = 0;
  for (int i = 0; i < 20; ++i) ground.put(2);
  ground.pass(0);
  CHECK(ground.pool.out() == 20);
  ground.pass(1300 * kMillisecond);
  ground.pass(0);
  CHECK(ground.pool.out() <= 2);
  ground.output.capacity = SIZE_MAX;
  ground.lane->ready();
  ground.output.deliver_all();
  CHECK(ground.output.delivered == ground.sequence(40));
}

TEST_CASE("random takes, outcomes and waits lose nothing, repeat nothing delivered and keep the order") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::minstd_rand random(seed);
    LaneOptions options;
    options.batch_records = 7;
    Ground ground(options);
    int put = 0;
    for (int step = 0; step < 2000; ++step) {
      ground.output.capacity = random() % 9;
      switch (random() % 4) {
        case 0: {
          const int count = 1 + static_cast<int>(random() % 5);
          ground.put(count);
          put += count;
          break;
        }
        case 1:
          ground.output.settle(random() % (ground.output.held.size() + 1), Outcome::delivered);
          break;
        case 2:
          ground.output.settle(ground.output.held.size(), Outcome::retry);
          break;
        default:
          ground.lane->ready();
          ground.pass(static_cast<Nanos>(random() % 3) * kSecond);
      }
      REQUIRE(ground.discrepancy() == 0);
    }
    ground.output.capacity = SIZE_MAX;
    for (int i = 0; i < 10000 && !ground.lane->empty(); ++i) {
      ground.lane->ready();
      ground.pass(kSecond);
      ground.output.deliver_all();
    }
    REQUIRE_MESSAGE(ground.output.delivered == ground.sequence(put), "seed ", seed);
    CHECK(Ledger::prefix_of(*ground.source) == ground.position);
  }
}

TEST_CASE("an open breaker sends a small probe and all the rest once that was answered") {
  LaneOptions options;
  options.breaker_failures = 2;
  Ground ground(options);
  ground.output.down = true;
  ground.put(500);
  for (int i = 0; i < 3; ++i) ground.pass(10 * kSecond);
  CHECK(ground.lane->breaker().state() == Breaker::State::open);
  ground.output.down = false;
  ground.pass(60 * kSecond);
  CHECK(ground.output.held.size() == 100);
  ground.pass(60 * kSecond);
  CHECK(ground.output.held.size() == 100);
  ground.output.settle(1, Outcome::delivered);
  CHECK(ground.lane->breaker().state() == Breaker::State::closed);
  ground.pass(0);
  CHECK(ground.output.held.size() == 499);
  ground.output.deliver_all();
  CHECK(ground.output.delivered == ground.sequence(500));
  CHECK(ground.discrepancy() == 0);
}

TEST_CASE("a rejection closes the breaker: the peer is there") {
  LaneOptions options;
  options.breaker_failures = 1;
  Ground ground(options);
  ground.output.down = true;
  ground.put(3);
  ground.pass(0);
  ground.output.down = false;
  ground.pass(5 * kSecond);
  ground.output.settle(3, Outcome::rejected);
  CHECK(ground.lane->breaker().state() == Breaker::State::closed);
  CHECK(ground.discrepancy() == 0);
}

TEST_CASE("records that wait longer than max_age are dropped with that reason, younger ones stay") {
  LaneOptions options;
  options.max_age.value = 10 * kSecond;
  Ground ground(options);
  ground.output.capacity = 0;
  ground.put(3);
  ground.pass(6 * kSecond);
  ground.put(2);
  ground.pass(6 * kSecond);
  CHECK(ground.lane->waiting_records() == 2);
  CHECK(ground.ledger.counts.dropped == 3);
  CHECK(ground.metrics.scrape().find("reason=\"max_age\"} 3") != std::string::npos);
  CHECK(Ledger::prefix_of(*ground.source) == 1);
  ground.output.capacity = SIZE_MAX;
  ground.lane->ready();
  ground.output.deliver_all();
  CHECK(ground.output.delivered == std::vector<std::string>{"3", "4"});
  CHECK(ground.discrepancy() == 0);
}

TEST_CASE("a source is not done with older records of a batch that were sent again behind newer ones") {
  LaneOptions options;
  options.batch_records = 2;
  Ground ground(options);
  ground.put_positions(6);
  ground.pass(0);
  REQUIRE(ground.output.held.size() == 6);
  ground.output.settle(2, Outcome::retry);  // 0 and 1 go out once more, behind 2 to 5
  ground.pass(2 * kSecond);
  REQUIRE(ground.output.held.size() == 6);
  ground.output.settle(2, Outcome::delivered);
  CHECK(ground.output.delivered == std::vector<std::string>{"2", "3"});
  CHECK(Ledger::prefix_of(*ground.source) == 0);
  ground.output.deliver_all();
  CHECK(Ledger::prefix_of(*ground.source) == 6);
}

TEST_CASE("max_age leaves alone what is sent, and looks at it when it comes back") {
  LaneOptions options;
  options.max_age.value = 10 * kSecond;
  Ground ground(options);
  ground.put(3);
  ground.pass(0);
  ground.pass(60 * kSecond);
  CHECK(ground.ledger.counts.dropped == 0);
  ground.output.down = true;
  ground.output.settle(3, Outcome::retry);
  for (int i = 0; i < 3; ++i) ground.pass(2 * kSecond);
  CHECK(ground.lane->empty());
  CHECK(ground.ledger.counts.dropped == 3);
}

TEST_CASE("while the queue is nearly full the lane sheds what is less severe and keeps the rest in order") {
  LaneOptions options;
  options.queue_bytes.value = 100 * sizeof(Record);
  options.shed_below = "warn";
  options.severity_key = {"log"};
  options.shed_above = 10;
  Ground ground(options);
  ground.output.capacity = 0;
  ground.put(20);  // "0" to "19": the first are taken as the queue is empty
  ground.put(3);   // "20", "21", "22" are no severities
  ground.next = 3;
  ground.put(4);  // "3" and "4" stay, "5" and "6" are less than a warning
  CHECK(ground.lane->waiting_records() == 25);
  CHECK(ground.ledger.counts.dropped == 2);
  CHECK(ground.metrics.scrape().find("reason=\"shed\"} 2") != std::string::npos);
  ground.output.capacity = SIZE_MAX;
  ground.lane->ready();
  ground.output.deliver_all();
  CHECK(ground.output.delivered.back() == "4");
  CHECK(Ledger::prefix_of(*ground.source) == 3);
  CHECK(ground.discrepancy() == 0);
}

}  // namespace logweir
