// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/lane.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_disk.h"
#include "tests/support/gated_disk.h"
#include "tests/support/run_loop.h"
#include "tests/support/temp_directory.h"

namespace logweir {

// What outlives a process: the disk, the state and the time.
struct SpoolGround {
  explicit SpoolGround(std::uint32_t seed) : disk(seed) {}

  TempDirectory state_directory;
  FaultyDisk disk;
  GatedDisk gate{disk};
  FakeClock clock;
};

struct SpooledLaneOptions {
  LaneOptions lane;
  SpoolOptions spool{64 << 10, 1 << 20, 0, false, true};
  std::uint64_t memory = 64 << 20;
  unsigned worker = 0;
  unsigned workers = 1;
  DeadLetters* dead_letters = nullptr;
};

// One life of a process that has one lane with a spool. What its threads do is done when the test says `settle`.
class SpooledLane {
 public:
  SpooledLane(SpoolGround& ground, Output& output, SpooledLaneOptions options)
      : ground_(ground),
        clock_(ground.clock),
        loop(clock_),
        budget_(options.memory),
        state_(State::open({ground.state_directory.path()}, Log()).value()),
        ledger({"out.0"}, state_.get()),
        committer_(clock_, {}) {
    for (const auto who : {GatedDisk::Who::committer, GatedDisk::Who::jobs}) ground.gate.set_open(who, true);
    auto opened = LaneSpool::open({loop,
                                   ledger,
                                   batches,
                                   tags_,
                                   *desk_,
                                   metrics,
                                   ground.gate,
                                   committer_,
                                   Log(),
                                   "out.0",
                                   0,
                                   "/spool",
                                   {"out.0", "there"},
                                   options.spool,
                                   options.worker,
                                   options.workers});
    REQUIRE_MESSAGE(opened.ok(), opened.status().message());
    spool = std::move(opened).value();
    probe_writer_ = SpoolWriter::open(probe_disk_, "/probe", {"probe", "probe"}, options.spool, 1).value();
    if (options.dead_letters != nullptr) burial_.emplace(loop, pool, *options.dead_letters);
    lane = std::make_unique<Lane>(Lane::Setup{loop,
                                              ledger,
                                              metrics,
                                              pool,
                                              Log(),
                                              "out.0",
                                              0,
                                              options.lane,
                                              0,
                                              1,
                                              {},
                                              burial_ ? &*burial_ : nullptr,
                                              spool.get()});
    lane->attach(output);
    hold();
  }
  SpooledLane(const SpooledLane&) = delete;
  SpooledLane& operator=(const SpooledLane&) = delete;
  // As a kill: what is under way may come to its end, what was not told to the state is forgotten.
  ~SpooledLane() { close(); }
  void close() {
    if (lane == nullptr) return;
    open_gates(true);
    if (burial_) burial_->abandon();
    spool->close();
    lane->abandon();
    desk_.reset();
    lane.reset();
    spool.reset();
    burial_.reset();
  }

  // As a stop: what was reached is told to the state.
  void close_in_order() {
    close();
    ledger.checkpoint();
  }

  // Lets the committer do what it was told to, and the loop hear of it.
  void let_commit() {
    ground_.gate.set_open(GatedDisk::Who::committer, true);
    pass_through_committer();
    ground_.gate.set_open(GatedDisk::Who::committer, false);
    run_turns(loop);
  }
  // The same of the job threads.
  void let_read() {
    ground_.gate.set_open(GatedDisk::Who::jobs, true);
    pass_through_jobs();
    ground_.gate.set_open(GatedDisk::Who::jobs, false);
    run_turns(loop);
  }
  void settle(int rounds = 4) {
    while (rounds-- > 0) {
      let_commit();
      let_read();
    }
  }
  void pass(Nanos time) {
    ground_.clock.advance(time);
    run_turns(loop);
  }

  // Hands [position, ...) of a source to the lane: a record per text.
  void put(SourceState& source, std::uint64_t position, const std::vector<std::string>& texts) {
    BatchRef batch = batches.make();
    batch->origin = OriginRef::make({tags_.intern("t"), "log", {}, {}, 0});
    batch->source = source.uid;
    batch->read_at = loop.now();
    std::size_t size = 0;
    for (const std::string& text : texts) size += text.size();
    ChunkRef chunk = pool.take(Use::intake, size);
    REQUIRE(chunk);
    batch->hold(chunk);
    const std::uint64_t begin = position;
    for (const std::string& text : texts) {
      Record record;
      record.data = chunk->free_space();
      record.size = static_cast<std::uint32_t>(text.size());
      record.position = position++;
      text.copy(chunk->free_space(), text.size());
      chunk->used += record.size;
      batch->bytes += record.size;
      batch->records.push_back(record);
    }
    batch->receipt = ledger.begin(source, begin, position);
    batch->claim = batch->receipt.get();
    batch->sealed = true;
    ledger.counts.read += texts.size();
    lane->enqueue(batch, 0, static_cast<std::uint32_t>(texts.size()));
    batch->receipt.reset();
  }
  [[nodiscard]] std::int64_t discrepancy() const {
    LedgerCounts counts = ledger.counts;
    counts.waiting = lane->waiting_records();
    return counts.discrepancy();
  }
  [[nodiscard]] double queue_bytes() {
    lane->refresh_gauges(0);
    return metrics.gauge("logweir_output_queue_bytes", "", {{"output", "out.0"}}).value();
  }

 private:
  void open_gates(bool open) {
    ground_.gate.set_open(GatedDisk::Who::committer, open);
    ground_.gate.set_open(GatedDisk::Who::jobs, open);
  }
  void hold() { open_gates(false); }
  void pass_through_committer() {
    const auto passed = std::make_shared<std::atomic<bool>>(false);
    Commit commit;
    commit.writer = probe_writer_.get();
    commit.done = [passed] {
      passed->store(true);
      passed->notify_all();
    };
    committer_.submit(commit);
    passed->wait(false);
  }
  void pass_through_jobs() {
    const auto passed = std::make_shared<std::atomic<bool>>(false);
    desk_->run(
        [passed] {
          passed->store(true);
          passed->notify_all();
        },
        [] {});
    passed->wait(false);
  }

  SpoolGround& ground_;
  FakeClock& clock_;

 public:
  Loop loop;
  Metrics metrics;

 private:
  Budget budget_;
  Account account_{budget_};

 public:
  Pool pool{account_};
  BatchPool batches{pool};

 private:
  std::unique_ptr<State> state_;
  TagTable tags_;
  FaultyDisk probe_disk_{1};
  std::unique_ptr<SpoolWriter> probe_writer_;  // of a commit that only shows that those before it are done
  std::optional<Burial> burial_;

 public:
  Ledger ledger;

 private:
  Committer committer_;
  Jobs jobs_{1};
  std::unique_ptr<Jobs::Desk> desk_ = std::make_unique<Jobs::Desk>(jobs_, loop);

 public:
  std::unique_ptr<LaneSpool> spool;
  std::unique_ptr<Lane> lane;
};

}  // namespace logweir
