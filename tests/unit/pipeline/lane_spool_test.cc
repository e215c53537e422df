// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_output.h"
#include "tests/support/spool_frames.h"
#include "tests/support/spooled_lane.h"

namespace logweir {

namespace {

// A lane with a spool and one source on a disk that does as it is told.
struct Ground {
  explicit Ground(SpooledLaneOptions with = {}) : options(std::move(with)) {
    if (options.lane.when_full == WhenFull::automatic) options.lane.when_full = WhenFull::spill;
    start();
  }
  ~Ground() { life->close(); }

  void start() {
    life = std::make_unique<SpooledLane>(ground, output, options);
    output.attach(*life->lane);
    source = life->ledger.open(1, 0);
    position = Ledger::start_of(*source);
  }
  void restart() {
    life->close_in_order();
    output.held.clear();
    life.reset();
    start();
  }
  // Records named by their position, of a size.
  void put(int count, std::size_t size = 8) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back(text_of(position + texts.size(), size));
    put_texts(texts);
  }
  void put_texts(const std::vector<std::string>& texts) {
    life->put(*source, position, texts);
    position += texts.size();
  }
  static std::string text_of(std::uint64_t number, std::size_t size = 8) {
    std::string text = std::to_string(number) + " ";
    text.resize(std::max(size, text.size()), 'x');
    return text;
  }
  // Lets time go by until nothing waits.
  void drain() {
    for (int i = 0; i < 200 && !life->lane->empty(); ++i) {
      life->settle(1);
      output.deliver_all();
      life->pass(100 * kMillisecond);
    }
    REQUIRE(life->lane->empty());
    CHECK(life->discrepancy() == 0);
  }
  [[nodiscard]] std::vector<std::uint64_t> delivered() const {
    std::vector<std::uint64_t> numbers;
    for (const std::string& text : output.delivered) numbers.push_back(std::stoull(text));
    return numbers;
  }
  static std::vector<std::uint64_t> up_to(std::uint64_t end) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t n = 0; n < end; ++n) numbers.push_back(n);
    return numbers;
  }

  SpoolGround ground{1};
  FakeOutput output;
  SpooledLaneOptions options;
  std::unique_ptr<SpooledLane> life;
  SourceState* source = nullptr;
  std::uint64_t position = 0;
};

SpooledLaneOptions durable() {
  SpooledLaneOptions options;
  options.lane.durable = true;
  return options;
}

}  // namespace

TEST_CASE("records that were stored last stay behind those that were read back meanwhile, also when they are retried") {
  Ground ground(durable());
  ground.output.down = true;
  ground.put(3);
  ground.life->settle();
  ground.restart();  // 0 to 2 are in the spool alone
  ground.put(3);     // enqueued before the others are read, stored behind them
  ground.life->let_read();
  ground.life->let_commit();
  ground.output.down = false;
  ground.life->pass(2 * kSecond);
  ground.life->pass(2 * kSecond);
  REQUIRE(ground.output.held.size() == 6);
  ground.output.settle(6, Outcome::retry);
  ground.drain();
  CHECK(ground.delivered() == Ground::up_to(6));
}

TEST_CASE("a record too large for any frame is given up alone, those before and behind it in its batch are not") {
  SpooledLaneOptions options = durable();
  options.memory = 512 << 20;
  options.lane.queue_bytes.value = 256 << 20;
  options.spool.segment_bytes = 1 << 20;
  options.spool.max_bytes = 64 << 20;
  Ground ground(options);
  ground.put_texts({"0", "1", std::string((64 << 20) + 1, '2'), "3", "4"});
  ground.drain();
  CHECK(ground.delivered() == std::vector<std::uint64_t>{0, 1, 3, 4});
  CHECK(ground.life->metrics.scrape().find("reason=\"too_large_for_spool\"} 1") != std::string::npos);
  CHECK(Ledger::prefix_of(*ground.source) == 5);
}

TEST_CASE("a record too large for any frame that the peer has already stays with it, and all are answered for") {
  SpooledLaneOptions options;
  options.memory = 512 << 20;
  options.lane.queue_bytes.value = 256 << 20;
  options.lane.batch_bytes.value = 256 << 20;
  Ground ground(options);
  ground.put_texts({"0", "1", std::string((64 << 20) + 1, '2'), "3", "4"});
  ground.life->pass(0);
  REQUIRE(ground.output.held.size() == 5);
  ground.life->lane->hurry();  // what is on its way is stored as well
  ground.life->settle();
  ground.output.delivered.clear();
  for (int i = 0; i < 5; ++i) ground.output.settle(1, Outcome::delivered);
  ground.life->settle();
  CHECK(ground.life->lane->waiting_records() == 0);
  CHECK(ground.life->discrepancy() == 0);
  CHECK(Ledger::prefix_of(*ground.source) == 5);
}

TEST_CASE("when the newest segment can't be read, what is in it is given up and counted, and the spool goes on") {
  Ground ground(durable());
  ground.output.down = true;
  ground.put(3);
  ground.life->settle();
  ground.restart();
  ground.ground.disk.fail_file_reads(true);
  for (int i = 0; i < 10; ++i) {
    ground.life->settle(1);
    ground.life->pass(1200 * kMillisecond);
  }
  CHECK(ground.life->ledger.counts.dropped == 3);
  CHECK(ground.life->metrics.scrape().find("reason=\"spool_damaged\"} 3") != std::string::npos);
  ground.ground.disk.fail_file_reads(false);
  ground.output.down = false;
  ground.put(3);
  ground.drain();
  CHECK(ground.delivered() == std::vector<std::uint64_t>{3, 4, 5});
}

TEST_CASE("a spool that could not be written is no fault any more when nothing waits for it") {
  SpooledLaneOptions options;
  options.lane.queue_bytes.value = 8000;
  Ground ground(options);
  ground.output.down = true;
  ground.ground.disk.fail_one_in(1, 0);
  for (int i = 0; i < 6; ++i) ground.put(10, 200);
  ground.life->pass(0);
  ground.put(10, 200);
  ground.life->settle();
  CHECK_FALSE(ground.life->lane->spool_fault().empty());
  ground.output.down = false;
  ground.drain();
  ground.life->pass(2 * kSecond);
  CHECK(ground.delivered() == Ground::up_to(70));
  CHECK(ground.life->lane->spool_fault().empty());
}

TEST_CASE("what waits for a disk that failed is written as soon as it may be, though memory was short meanwhile") {
  Ground ground(durable());
  ground.ground.disk.fail_one_in(1, 0);
  ground.put(3);
  ground.life->settle();
  CHECK_FALSE(ground.life->lane->spool_fault().empty());
  ground.ground.disk.fail_one_in(0, 0);
  ground.life->pass(1200 * kMillisecond);
  ground.life->settle();
  CHECK(ground.life->lane->spool_fault().empty());
  ground.drain();
  CHECK(ground.delivered() == Ground::up_to(3));
}

TEST_CASE("what came out of a spool keeps its fields when the lane makes its memory compact") {
  LineBatch lines;
  lines.add("body");
  const std::string key = "a key of its own";
  const std::string value = "a value of its own";
  Field field;
  field.key = key;
  field.value.kind = Value::Kind::string;
  field.value.text = value;
  lines->fields.push_back(field);
  lines->records[0].field_count = 1;
  const std::string frame = frame_of(lines.all(), {1, 1, 1});
  BatchPool batches(lines.pool());
  TestOrigins origins;
  ChunkRef room;
  auto decoded = decode_frame(frame, batches, origins, Use::outflow, room);
  REQUIRE(decoded.ok());
  room.reset();
  Compactor compactor(lines.pool());
  REQUIRE(compactor.compact(*decoded.value()));
  ChunkRef next = lines.pool().take(Use::outflow);  // what was given back is used again
  std::memset(next->data(), 'z', next->capacity);
  CHECK(decoded.value()->fields[0].key == key);
  CHECK(decoded.value()->fields[0].value.text == value);
}

TEST_CASE("small frames that are read back share their memory") {
  Ground ground(durable());
  ground.output.down = true;
  for (int i = 0; i < 200; ++i) {
    ground.put(1);
    ground.life->settle(1);
  }
  ground.restart();
  const std::uint64_t before = ground.life->pool.out();
  ground.life->pass(0);
  ground.life->settle();
  REQUIRE_FALSE(ground.life->spool->has_unread());
  CHECK(ground.life->pool.out() <= before + 4);
  ground.output.down = false;
  ground.drain();
  CHECK(ground.delivered() == Ground::up_to(200));
}

TEST_CASE("a write that is under way when the lane is closed counts: its source is not read again") {
  Ground ground(durable());
  ground.output.down = true;
  ground.put(4);
  ground.restart();  // the write was begun by the enqueuing, and nobody heard of its end
  CHECK(ground.position == 4);
  CHECK(ground.life->lane->waiting_records() == 4);
  ground.output.down = false;
  ground.life->pass(0);
  ground.drain();
  CHECK(ground.delivered() == Ground::up_to(4));
}

TEST_CASE(
    "a record larger than what is kept for the way out goes to the spool and comes back though memory stays full") {
  SpooledLaneOptions options;
  options.memory = 6 << 20;
  options.spool = {4 << 20, 64 << 20, 0, false, true};
  options.lane.queue_bytes.value = 1 << 20;
  options.lane.batch_bytes.value = 1 << 20;
  Ground bench(options);
  bench.output.down = true;
  {
    const ChunkRef others = bench.life->pool.take(Use::intake, 3 << 20);  // another lane's, which is dead as well
    REQUIRE(others);
    bench.put(1, 2 << 20);
    for (int i = 0; i < 100 && bench.life->lane->stored_records() == 0; ++i) {
      bench.life->settle(1);
      bench.life->pass(100 * kMillisecond);
    }
    CHECK(bench.life->lane->stored_records() == 1);
  }
  bench.output.down = false;
  bench.restart();
  const ChunkRef others = bench.life->pool.take(Use::intake, 5 << 20);
  REQUIRE(others);
  bench.drain();
  CHECK(bench.delivered() == Ground::up_to(1));
}

}  // namespace logweir
