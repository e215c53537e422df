// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/pipeline.h"
#include "support/fake_clock.h"
#include "support/fake_output.h"

namespace logweir {

// An input that a test speaks through: `say` hands lines over as one batch of one source.
class ScriptedInput final : public Input {
 public:
  Status open(InputServices& services) override {
    services_ = &services;
    source = services.intake.open_source({uid, 0});
    position = services.intake.start_of(source);
    origin = OriginRef::make({services.intake.tag(services.tag), "log", {}, {}, 0});
    return {};
  }
  void pause() override { paused = true; }
  void resume() override { paused = false; }
  void close() override {}

  void say(const std::vector<std::string>& lines) {
    BatchRef batch = services_->intake.batch(origin);
    const std::uint64_t begin = position;
    for (const std::string& line : lines) {
      ChunkRef chunk = services_->intake.room(line.size());
      if (!chunk) return;
      batch->hold(chunk);
      Record record;
      record.data = chunk->free_space();
      record.size = static_cast<std::uint32_t>(line.size());
      record.span = record.size + 1;
      record.position = position;
      line.copy(chunk->free_space(), line.size());
      chunk->used += record.size;
      position += record.span;
      batch->records.push_back(record);
    }
    services_->intake.deliver(std::move(batch), source, begin, position);
  }

  std::uint64_t uid = 7;
  Source source = nullptr;
  std::uint64_t position = 0;
  OriginRef origin;
  bool paused = false;

 private:
  InputServices* services_ = nullptr;
};

// A filter that drops every record whose text holds `word`.
class DropWord final : public Filter {
 public:
  explicit DropWord(std::string word) : word_(std::move(word)) {}
  Status open(FilterServices&) override { return {}; }
  void apply(Batch& batch, Nanos) override {
    std::erase_if(batch.records, [this](const Record& r) { return r.text().find(word_) != std::string_view::npos; });
  }

 private:
  std::string word_;
};

// A filter that throws over every record whose text is `word`.
class ThrowWord final : public Filter {
 public:
  explicit ThrowWord(std::string word) : word_(std::move(word)) {}
  Status open(FilterServices&) override { return {}; }
  void apply(Batch& batch, Nanos) override {
    for (const Record& record : batch.records) {
      if (record.text() == word_) throw std::runtime_error("can't do " + word_);
    }
  }

 private:
  std::string word_;
};

// A whole pipeline on this thread with a clock that stands still. Give outputs (and filters) first, then `open`.
class LineBench {
 public:
  explicit LineBench(std::uint64_t memory = 64 << 20) : budget_(memory) {
    input_entry_.make = [](OptionsPtr options, InputShared*) {
      auto input = std::make_unique<ScriptedInput>();
      *static_cast<ScriptedInput**>(const_cast<void*>(options.get())) = input.get();
      return std::unique_ptr<Input>(std::move(input));
    };
    output_entry_.make = [](OptionsPtr options) {
      auto output = std::make_unique<FakeOutput>();
      *static_cast<FakeOutput**>(const_cast<void*>(options.get())) = output.get();
      return std::unique_ptr<Output>(std::move(output));
    };
    filter_entry_.make = [](OptionsPtr options) -> std::unique_ptr<Filter> {
      return std::make_unique<DropWord>(*static_cast<const std::string*>(options.get()));
    };
    throw_entry_.make = [](OptionsPtr options) -> std::unique_ptr<Filter> {
      return std::make_unique<ThrowWord>(*static_cast<const std::string*>(options.get()));
    };
    spec_.budget = &budget_;
    spec_.metrics = &metrics;
    spec_.jobs = &jobs_;
    spec_.finished = [] {};
    spec_.inputs.push_back({&input_entry_, "in.0", "in.0", "t", {}, in_slot_, nullptr});
  }
  ~LineBench() {
    if (pipeline) pipeline->close();
    pipeline.reset();
  }

  void output(const std::string& name, LaneOptions lane = {}, const std::string& match = "*") {
    auto slot = std::make_shared<FakeOutput*>(nullptr);
    out_slots_.push_back(slot);
    spec_.outputs.push_back({&output_entry_, name, name, match, "", lane, 0, slot, nullptr});
  }
  void drop_word(const std::string& word) {
    spec_.filters.push_back({&filter_entry_, "drop." + word, "*", "", std::make_shared<std::string>(word)});
  }
  void throw_over(const std::string& word) {
    spec_.filters.push_back({&throw_entry_, "throw", "*", "", std::make_shared<std::string>(word)});
  }
  void open(State* state = nullptr, DeadLetters* dead_letters = nullptr) {
    spec_.state = state;
    spec_.dead_letters = dead_letters;
    pipeline = std::make_unique<Pipeline>(loop, spec_);
    opened_ = pipeline->open_outputs().ok() && pipeline->open_inputs().ok();
  }
  void pass(Nanos time = 0) {
    clock.advance(time);
    loop.run_once();
  }
  [[nodiscard]] bool opened() const { return opened_; }
  [[nodiscard]] ScriptedInput& in() { return **in_slot_; }
  [[nodiscard]] FakeOutput& out(std::size_t i) { return **out_slots_[i]; }
  [[nodiscard]] std::int64_t discrepancy() { return pipeline->snapshot().ledger.discrepancy(); }

  FakeClock clock;
  Loop loop{clock};
  Metrics metrics;
  std::unique_ptr<Pipeline> pipeline;

 private:
  Budget budget_;
  Jobs jobs_{1};
  InputEntry input_entry_{};
  FilterEntry filter_entry_{};
  FilterEntry throw_entry_{};
  OutputEntry output_entry_{};
  PipelineSpec spec_;
  std::shared_ptr<ScriptedInput*> in_slot_ = std::make_shared<ScriptedInput*>(nullptr);
  std::vector<std::shared_ptr<FakeOutput*>> out_slots_;
  bool opened_ = false;
};

}  // namespace logweir
