// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/spooled_lane.h"

namespace logweir {

namespace {

using Name = std::pair<unsigned, std::uint64_t>;  // source and number of a record

constexpr unsigned kSources = 3;

// A peer that takes some, refuses, throws, and answers as the dice say. Records what it answered for.
class MoodyOutput final : public Output {
 public:
  MoodyOutput(std::mt19937& random, bool any_order) : random_(random), any_order_(any_order) {}
  Status open(OutputServices&) override { return {}; }
  void attach(OutputHost& host) { host_ = &host; }
  void close() override {}

  std::uint64_t send(const Shipment& shipment) override {
    if (down) {
      host_->unavailable("refused", Status(Code::unavailable, "nobody there"));
      return 0;
    }
    const std::size_t before = held_.size();
    for (const Part& part : shipment.parts) {
      for (std::uint32_t i = part.first; i < part.last; ++i) {
        if (held_.size() >= capacity) return held_.size() - before;
        const Name name = name_of(part.batch->records[i].text());
        if (poison(name)) {
          held_.resize(before);
          throw std::runtime_error("poison");
        }
        held_.emplace_back(shipment.ordinal + held_.size() - before, name);
      }
    }
    return held_.size() - before;
  }
  // Answers for some of what it holds.
  void answer(Outcome outcome) {
    if (held_.empty()) return;
    if (!any_order_ && outcome == Outcome::retry) {  // one connection: all that is not answered for comes back
      while (!held_.empty()) settle(0, held_.size(), outcome);
      return;
    }
    const std::size_t first = any_order_ ? random_() % held_.size() : 0;
    settle(first, 1 + random_() % (held_.size() - first), outcome);
  }
  void ready() {
    if (host_ != nullptr) host_->ready();
  }
  void forget() { held_.clear(); }

  [[nodiscard]] bool poison(const Name& name) const { return poisons && name.second % 97 == 13; }

  bool down = false;
  bool poisons = false;
  std::size_t capacity = SIZE_MAX;
  std::vector<Name> delivered;
  std::set<Name> rejected;

 private:
  // Up to `count` records from one on, as long as their ordinals have no gap.
  void settle(std::size_t first, std::size_t count, Outcome outcome) {
    std::size_t end = first + 1;
    while (end < first + count && held_[end].first == held_[end - 1].first + 1) ++end;
    const std::uint64_t ordinal = held_[first].first;
    for (std::size_t i = first; i < end; ++i) {
      if (outcome == Outcome::delivered) delivered.push_back(held_[i].second);
      if (outcome == Outcome::rejected) rejected.insert(held_[i].second);
    }
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(first), held_.begin() + static_cast<std::ptrdiff_t>(end));
    host_->settle(ordinal, end - first, outcome, "test", 0, "no");
  }
  static Name name_of(std::string_view text) {
    const std::string copy(text.substr(0, 40));
    char* end = nullptr;
    const auto source = static_cast<unsigned>(std::strtoul(copy.c_str(), &end, 10));
    return {source, std::strtoull(end, nullptr, 10)};
  }

  std::mt19937& random_;
  const bool any_order_;
  OutputHost* host_ = nullptr;
  std::deque<std::pair<std::uint64_t, Name>> held_;
};

// A lane with a spool through many lives of its process, beside a plain account of what it must have done. Always true:
// - the ledger is even and the lane holds no more than its budget allows;
// - each source's records are delivered first in their order (where the peer keeps it);
// - what was first enqueued in this life is delivered at most once in it;
// - in the end each record was delivered, or dropped for a reason: no source's position moved past another one.
class Model {
 public:
  explicit Model(std::uint32_t seed)
      : random_(seed), any_order_(one_in(3)), drops_(one_in(4)), ground_(seed * 7 + 1), output_(random_, any_order_) {
    options_.lane.queue_bytes.value = 20'000 + random_() % 60'000;
    options_.lane.batch_bytes.value = 4'000 + random_() % 40'000;
    options_.lane.batch_records = 1 + random_() % 60;
    options_.lane.when_full = WhenFull::spill;
    options_.lane.durable = one_in(3);
    options_.lane.backoff_base.value = 20 * kMillisecond;
    options_.lane.backoff_cap.value = 200 * kMillisecond;
    options_.spool.segment_bytes = 16 << 10;
    options_.spool.max_bytes = one_in(3) ? 64 << 10 : 1 << 20;
    options_.spool.fill = options_.lane.durable;
    if (drops_) {
      if (one_in(2)) options_.lane.max_age.value = kSecond;
      if (one_in(2)) options_.lane.retry_limit = "3";
      if (one_in(3)) options_.lane.when_full = one_in(2) ? WhenFull::drop_oldest : WhenFull::drop_newest;
    }
    output_.poisons = one_in(3);
    moves_ = one_in(3);
    buries_ = one_in(4);
    start();
  }
  ~Model() { end_life(); }

  void step() {
    const std::uint32_t dice = random_() % 1000;
    if (dice < 350) {
      put();
    } else if (dice < 550) {
      life_->pass(one_in(4) ? static_cast<Nanos>(random_() % 1200) * kMillisecond : 0);
    } else if (dice < 750) {
      answer();
    } else if (dice < 800) {
      output_.ready();
    } else if (dice < 840) {
      change_mood();
    } else if (dice < 870) {
      change_disk();
    } else if (dice < 900) {
      life_->let_read();
    } else if (dice < 930) {
      life_->let_commit();
    } else if (dice < 980) {
      life_->settle(1 + static_cast<int>(random_() % 3));
    } else if (dice < 990) {
      life_->ledger.checkpoint();
    } else if (dice < 994) {
      kill(false);
    } else if (dice < 997) {
      kill(true);
    } else {
      stop();
    }
    check();
  }
  // The disk works and the peer takes all: everything comes to its end.
  void finish() {
    ground_.disk.fail_one_in(0, 0);
    output_.down = false;
    output_.capacity = SIZE_MAX;
    moves_ = false;
    stop();
    bool more = true;
    // The dead letters' thread has a real disk.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int i = 0; (more || !life_->lane->empty()) && (i < 4000 || buries_); ++i) {
      if (i >= 4000 && std::chrono::steady_clock::now() > deadline) break;
      more = false;
      for (unsigned s = 0; s < kSources; ++s) {
        if (!life_->lane->full()) put_from(s, 8, false);
        more = more || at_[s] < read_[s];
      }
      life_->settle(1);
      for (int n = 0; n < 20; ++n) output_.answer(Outcome::delivered);
      output_.ready();
      life_->pass(50 * kMillisecond);
      check();
    }
    REQUIRE_MESSAGE((!more && life_->lane->empty()), "it does not come to an end: ", life_->lane->waiting_records(),
                    " wait, fault: ", life_->lane->spool_fault());
    std::uint64_t missing = 0;
    for (unsigned s = 0; s < kSources; ++s) {
      for (std::uint64_t n = 0; n < read_[s]; ++n) {
        const Name name{s, n};
        if (first_.count(name) == 0 && output_.rejected.count(name) == 0 && !output_.poison(name)) {
          CAPTURE(s);
          CAPTURE(n);
          if (!drops_) REQUIRE_MESSAGE(false, "lost");
          ++missing;
        }
      }
    }
    REQUIRE(missing <= dropped_ + life_->ledger.counts.dropped);
  }
  [[nodiscard]] std::uint64_t delivered() const { return first_.size(); }
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }
  [[nodiscard]] std::uint64_t recovered() const { return recovered_; }
  [[nodiscard]] int lives() const { return lives_; }

 private:
  bool one_in(std::uint32_t n) { return random_() % n == 0; }

  void put() {
    if (life_->lane->full()) return;
    put_from(random_() % kSources, 1 + random_() % 12, true);
  }
  // Goes on reading a source; what was read in an earlier life comes first.
  void put_from(unsigned s, std::uint64_t count, bool may_grow) {
    if (at_[s] < read_[s] || !may_grow) count = std::min(count, read_[s] - at_[s]);
    if (count == 0) return;
    std::vector<std::string> texts;
    for (std::uint64_t n = at_[s]; n != at_[s] + count; ++n) {
      texts.push_back(std::to_string(s) + " " + std::to_string(n) + " ");
      texts.back().resize(20 + n * 7919 % (n % 50 == 0 ? 9000 : 600), 'x');
      if (n >= read_[s]) born_[{s, n}] = lives_;
    }
    const std::uint64_t from = at_[s];
    at_[s] += count;
    read_[s] = std::max(read_[s], at_[s]);
    life_->put(*sources_[s], from, texts);
  }
  void answer() {
    const std::uint32_t dice = random_() % 20;
    output_.answer(dice < 15 ? Outcome::delivered : dice < 19 ? Outcome::retry : Outcome::rejected);
  }
  void change_mood() {
    output_.down = one_in(3);
    output_.capacity = one_in(3) ? SIZE_MAX : random_() % 40;
  }
  void change_disk() {
    const std::uint32_t often[] = {0, 0, 0, 2, 5, 20};
    ground_.disk.fail_one_in(often[random_() % 6], one_in(3) ? 20 : 0);
    ground_.disk.set_capacity(one_in(4) ? 60'000 : std::uint64_t{1} << 40);
    if (one_in(10)) ground_.disk.cut_power_after(1 + static_cast<int>(random_() % 12));
  }
  void kill(bool power) {
    end_life();
    // Of a write that a power cut tore, frames may survive without those before them.
    if (power) ordered_ = false;
    if (power) ground_.disk.crash();
    start();
  }
  // As SIGTERM: a grace for what waits, and all is told to the state.
  void stop() {
    life_->lane->hurry();
    for (int i = 0; i < 5; ++i) {
      life_->settle(1);
      answer();
      life_->pass(100 * kMillisecond);
      check();
    }
    output_.forget();
    life_->close_in_order();
    end_life();
    start();
  }
  void end_life() {
    if (life_ == nullptr) return;
    output_.forget();
    life_->close();
    dropped_ += life_->ledger.counts.dropped;
    recovered_ += life_->ledger.counts.recovered;
    life_.reset();
  }
  void start() {
    ++lives_;
    ground_.disk.fail_one_in(0, 0);
    ground_.disk.set_capacity(std::uint64_t{1} << 40);
    ground_.disk.cut_power_after(0);
    if (ground_.disk.is_dead()) {
      ground_.disk.crash();
      ordered_ = false;
    }
    options_.workers = moves_ ? 1 + random_() % 2 : 1;
    options_.worker = options_.workers - 1;
    ordered_ = ordered_ && options_.worker == 0;
    options_.dead_letters = buries_ ? &letters_ : nullptr;
    life_ = std::make_unique<SpooledLane>(ground_, output_, options_);
    output_.attach(*life_->lane);
    for (unsigned s = 0; s < kSources; ++s) {
      sources_[s] = life_->ledger.open(s + 1, 0);
      at_[s] = Ledger::start_of(*sources_[s]);
      REQUIRE(at_[s] <= read_[s]);
    }
    life_seen_.clear();
  }
  void check() {
    REQUIRE(life_->discrepancy() == 0);
    REQUIRE(life_->queue_bytes() <= 2.0 * static_cast<double>(options_.lane.queue_bytes.value) + 700'000);
    for (; heard_ < output_.delivered.size(); ++heard_) {
      const Name name = output_.delivered[heard_];
      CAPTURE(name.first);
      CAPTURE(name.second);
      REQUIRE(name.second < read_[name.first]);
      const bool again_in_this_life = !life_seen_.insert(name).second;
      REQUIRE_FALSE((again_in_this_life && born_.at(name) == lives_));
      if (!first_.insert(name).second) {
        ++repeated_;
        continue;
      }
      // One that had its end before a crash may come once more.
      const bool ended = drops_ || output_.rejected.count(name) != 0;
      if (ordered_ && !ended) REQUIRE(name.second >= next_[name.first]);
      next_[name.first] = std::max(next_[name.first], name.second + 1);
    }
  }

  std::mt19937 random_;
  const bool any_order_;  // the peer answers out of order
  const bool drops_;      // the lane may drop
  bool moves_ = false;    // lives have different numbers of workers
  bool ordered_ = !any_order_;
  bool buries_ = false;
  SpoolGround ground_;
  TempDirectory letters_at_;
  DeadLetters letters_{{letters_at_.file("d"), {}, 64 << 20}, Log()};
  MoodyOutput output_;
  SpooledLaneOptions options_;
  std::unique_ptr<SpooledLane> life_;
  int lives_ = 0;
  SourceState* sources_[kSources] = {};
  std::uint64_t at_[kSources] = {};    // where each source is read now
  std::uint64_t read_[kSources] = {};  // how far it was ever read
  std::uint64_t next_[kSources] = {};  // of the first deliveries
  std::map<Name, int> born_;           // the life that read it first
  std::set<Name> first_;               // delivered
  std::set<Name> life_seen_;           // in this life
  std::size_t heard_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t recovered_ = 0;
};

std::uint32_t setting(const char* name, std::uint32_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

// LOGWEIR_SEED repeats one run, LOGWEIR_RUNS asks for more of them.
TEST_CASE("a lane and its spool lose nothing through failing disks, moody peers, stops and crashes") {
  constexpr std::uint32_t kSteps = 1000;
  const std::uint32_t only = setting("LOGWEIR_SEED", 0);
  const std::uint32_t runs = only != 0 ? 1 : setting("LOGWEIR_RUNS", 30);
  std::uint64_t delivered = 0, repeated = 0, recovered = 0;
  int lives = 0;
  for (std::uint32_t run = 1; run <= runs; ++run) {
    const std::uint32_t seed = only != 0 ? only : run;
    CAPTURE(seed);
    Model model(seed);
    for (std::uint32_t i = 0; i < kSteps; ++i) {
      CAPTURE(i);
      model.step();
    }
    model.finish();
    delivered += model.delivered();
    repeated += model.repeated();
    recovered += model.recovered();
    lives += model.lives();
  }
  const std::uint64_t steps = std::uint64_t{runs} * kSteps;
  MESSAGE(steps, " steps, seeds 1 to ", runs, ", ", lives, " lives, ", delivered, " records delivered, ", repeated,
          " again after a crash, ", recovered, " out of spools");
  CHECK(delivered > runs * 30);
}

}  // namespace logweir
