// SPDX-License-Identifier: Apache-2.0
#include "pipeline/desk.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include "pipeline/pipeline.h"
#include "state/dead_letters.h"
#include "support/temp_directory.h"

namespace logweir {

namespace {

constexpr int kLines = 300;

// Takes a few records at a time, settles them at once; now and then it wants some again.
class Collector : public Output {
 public:
  explicit Collector(std::vector<std::string>& got) : got_(got) {}
  Status open(OutputServices& services) override {
    host_ = &services.host;
    again_ = std::make_unique<Timer>(services.loop.timers(), [this] { host_->ready(); });
    loop_ = &services.loop;
    return {};
  }
  std::uint64_t send(const Shipment& shipment) override {
    ++sends_;
    std::uint64_t taken = 0;
    std::vector<std::string> texts;
    for (const Part& part : shipment.parts) {
      for (std::uint32_t i = part.first; i < part.last && taken < 3; ++i, ++taken) {
        texts.emplace_back(part.batch->records[i].text());
      }
    }
    if (sends_ % 7 == 0) {
      host_->settle(shipment.ordinal, taken, Outcome::retry, "test");
    } else {
      got_.insert(got_.end(), texts.begin(), texts.end());
      host_->settle(shipment.ordinal, taken, Outcome::delivered);
    }
    if (taken < shipment.records) again_->arm(loop_->now());
    return taken;
  }
  void close() override {}

 protected:
  OutputHost& host() { return *host_; }
  void again() { again_->arm(loop_->now()); }

 private:
  std::vector<std::string>& got_;
  OutputHost* host_ = nullptr;
  Loop* loop_ = nullptr;
  std::unique_ptr<Timer> again_;
  int sends_ = 0;
};

// A Collector that throws over one line of each worker.
class Thrower final : public Collector {
 public:
  using Collector::Collector;
  std::uint64_t send(const Shipment& shipment) override {
    for (const Part& part : shipment.parts) {
      for (std::uint32_t i = part.first; i < part.last; ++i) {
        if (part.batch->records[i].text().ends_with(":77")) throw std::runtime_error("77");
      }
    }
    return Collector::send(shipment);
  }
};

// A Collector that rejects one line of each worker and says why.
class Refuser final : public Collector {
 public:
  using Collector::Collector;
  std::uint64_t send(const Shipment& shipment) override {
    const Part& first = shipment.parts[0];
    if (!first.batch->records[first.first].text().ends_with(":77")) {
      const Part one{first.batch, first.first, first.first + 1};
      const std::uint64_t taken = Collector::send({{&one, 1}, shipment.ordinal, 1, 0});
      again();
      return taken;
    }
    host().settle(shipment.ordinal, 1, Outcome::rejected, "odd", 0, "no 77 here");
    again();
    return 1;
  }
};

// Says `count` numbered lines at open, with its worker's letter in front.
class Numbers final : public Input {
 public:
  explicit Numbers(int count) : count_(count) {}
  Status open(InputServices& services) override {
    auto source = services.intake.open_source({});
    const OriginRef origin = OriginRef::make({services.intake.tag("t"), "log", {}, {}, 0});
    std::uint64_t position = 0;
    for (int i = 0; i < count_; ++i) {
      const std::string line = std::to_string(services.worker) + ":" + std::to_string(i);
      BatchRef batch = services.intake.batch(origin);
      ChunkRef chunk = services.intake.room(line.size());
      batch->hold(chunk);
      Record record;
      record.data = chunk->free_space();
      record.size = static_cast<std::uint32_t>(line.copy(chunk->free_space(), line.size()));
      chunk->used += record.size;
      batch->records.push_back(record);
      services.intake.deliver(std::move(batch), source, position, position + 1);
      ++position;
    }
    return {};
  }
  void pause() override {}
  void resume() override {}
  void close() override {}

 private:
  int count_;
};

// Two workers with a single output between them, to their end; `dropped` in all.
template <typename Kind>
std::vector<std::string> run_two(std::uint64_t dropped, DeadLetters* store = nullptr) {
  std::vector<std::string> got;
  InputEntry input{};
  input.make = [](OptionsPtr, InputShared*) -> std::unique_ptr<Input> { return std::make_unique<Numbers>(kLines); };
  OutputEntry output{};
  output.make = [](OptionsPtr options) -> std::unique_ptr<Output> {
    return std::make_unique<Kind>(**static_cast<std::vector<std::string>* const*>(options.get()));
  };
  Budget budget(64 << 20);
  Metrics metrics;
  Jobs jobs(1);
  Desk* desk = nullptr;
  LaneOptions lane;
  lane.backoff_base.value = lane.backoff_cap.value = kMillisecond;
  PipelineSpec spec;
  spec.budget = &budget;
  spec.metrics = &metrics;
  spec.jobs = &jobs;
  spec.workers = 2;
  spec.dead_letters = store;
  spec.inputs.push_back({&input, "in.0", "in.0", "t", {}, nullptr, nullptr});
  spec.outputs.push_back(
      {&output, "o", "o", "*", "", lane, 0, std::make_shared<std::vector<std::string>*>(&got), &desk});

  SystemClock clock;
  Loop home(clock);
  Pipeline first(home, spec);
  REQUIRE(first.open_outputs().ok());
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> given_up{0};
  std::thread other([&] {
    Loop loop(clock);
    PipelineSpec mine = spec;
    mine.worker = 1;
    Pipeline second(loop, mine);
    REQUIRE(second.open_outputs().ok());
    REQUIRE(second.open_inputs().ok());
    while (!second.drained()) loop.run_once();
    CHECK(second.snapshot().ledger.discrepancy() == 0);
    given_up = second.snapshot().ledger.dropped;
    second.close();
    done = true;
  });
  REQUIRE(first.open_inputs().ok());
  while (!done || !first.drained()) home.run_once();
  other.join();
  CHECK(first.snapshot().ledger.discrepancy() == 0);
  CHECK(first.snapshot().ledger.dropped + given_up == dropped);
  first.close();
  return got;
}

}  // namespace

TEST_CASE("an output that two workers share throws over one line of each: that one is given up, all others come") {
  const std::vector<std::string> got = run_two<Thrower>(2);
  CHECK(got.size() == 2 * kLines - 2);
  CHECK(std::set<std::string>(got.begin(), got.end()).size() == 2 * kLines - 2);
}

TEST_CASE("what an output that two workers share rejects is a dead letter with its answer") {
  const TempDirectory dir;
  std::vector<std::string> got;
  {
    DeadLetters store({dir.file("d"), {}, 8 << 20}, Log());
    got = run_two<Refuser>(0, &store);
  }
  CHECK(got.size() == 2 * kLines - 2);
  auto file = LetterFile::open(letters_path(dir.file("d")), false);
  REQUIRE(file.ok());
  const std::vector<Letter> letters = file.value()->read(0, 10, 1000).value();
  REQUIRE(letters.size() == 2);
  CHECK(letters[0].answer == "no 77 here");
  CHECK(letters[0].reason == "odd");
  CHECK(letters[0].body.ends_with(":77"));
  CHECK(letters[0].body != letters[1].body);
}

TEST_CASE("two workers share a single output: every line once, each worker's in order") {
  const std::vector<std::string> got = run_two<Collector>(0);
  CHECK(std::set<std::string>(got.begin(), got.end()).size() == 2 * kLines);
  CHECK(got.size() == 2 * kLines);
  for (const char worker : {'0', '1'}) {
    int next = 0;
    for (const std::string& line : got) {
      if (line[0] == worker) CHECK(line == std::string(1, worker) + ":" + std::to_string(next++));
    }
  }
}

}  // namespace logweir
