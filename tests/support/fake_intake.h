// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loop/loop.h"
#include "memory/pool.h"
#include "plugin/input.h"
#include "record/batch.h"

namespace logweir {

// What outlives a run: the state directory's part in a test.
struct FakeMemory {
  std::map<std::uint64_t, std::uint64_t> positions;  // by uid
  std::map<std::string, std::string> facts;
};

// An engine that keeps positions and facts in a FakeMemory and lines in a vector; everything handed over counts as
// delivered at once, unless `acknowledge` is off.
class FakeIntake final : public Intake {
 public:
  struct Line {
    std::string text;
    std::uint64_t uid = 0;
    std::uint64_t position = 0;
    std::uint32_t span = 0;
    bool truncated = false;
    std::string tag;
    std::vector<std::pair<std::string, std::string>> attached;
  };
  struct Kept {
    std::uint64_t uid = 0;
    std::uint64_t read_to = 0;
    std::uint64_t prefix = 0;
  };

  FakeIntake(Loop& loop, FakeMemory& memory) : loop_(loop), memory_(memory) {}

  ChunkRef room(std::size_t bytes) override {
    largest_room = std::max(largest_room, bytes);
    if (!current_ || current_->room() < bytes) current_ = pool_.take(Use::intake, bytes);
    return current_.share();
  }
  ChunkRef own_room(std::size_t bytes) override { return pool_.take(Use::intake, bytes); }
  ChunkRef exact_room(std::size_t bytes) override { return pool_.take_exact(Use::intake, bytes); }
  [[nodiscard]] std::uint64_t memory_limit() const override { return budget_.limit(); }
  BatchRef batch(const OriginRef& origin) override {
    BatchRef made = batches_.make();
    made->origin = origin;
    return made;
  }
  void deliver(BatchRef batch, Source source, std::uint64_t begin, std::uint64_t end) override {
    Kept& kept = of(source);
    misplaced += begin < kept.read_to || end < begin ? 1U : 0U;
    kept.read_to = end;
    for (const Record& record : batch->records) {
      lines.push_back({std::string(record.text()), kept.uid, record.position, record.span,
                       (record.flags & Record::kTruncated) != 0, batch->origin->tag->text, batch->origin->attached});
    }
    if (acknowledge) memory_.positions[kept.uid] = kept.prefix = end;
    if (on_deliver) on_deliver();
  }
  Source open_source(const SourceSpec& spec) override {
    const auto saved = memory_.positions.find(spec.uid);
    const std::uint64_t at = saved != memory_.positions.end() ? saved->second : spec.start;
    memory_.positions[spec.uid] = at;
    sources_.push_back(std::make_unique<Kept>(Kept{spec.uid, at, at}));
    return reinterpret_cast<Source>(sources_.back().get());
  }
  std::uint64_t start_of(Source source) const override { return of(source).read_to; }
  void close_source(Source source, bool forget, std::function<void()> finished) override {
    if (forget) memory_.positions.erase(of(source).uid);
    if (finished) finished();
  }
  std::uint64_t prefix_of(Source source) const override { return of(source).prefix; }
  void keep_fact(std::string_view key, std::string_view value, std::function<void()> durable) override {
    memory_.facts[std::string(key)] = value;
    if (durable) loop_.post(std::move(durable));
  }
  void drop_fact(std::string_view key) override { memory_.facts.erase(std::string(key)); }
  void count_lost_bytes(std::uint64_t bytes) override { lost_bytes += bytes; }
  void count_truncated() override { ++truncated; }
  void count_dropped(std::string_view reason, std::uint64_t records) override {
    dropped[std::string(reason)] += records;
  }
  const Tag* tag(std::string_view text) override {
    auto& slot = tags_[std::string(text)];
    if (!slot) slot = std::make_unique<Tag>(Tag{std::string(text), static_cast<std::uint32_t>(tags_.size())});
    return slot.get();
  }

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Line& line : lines) all.push_back(line.text);
    return all;
  }

  bool acknowledge = true;
  std::function<void()> on_deliver;
  std::vector<Line> lines;
  std::uint64_t misplaced = 0;  // ranges that went back
  std::uint64_t truncated = 0;
  std::uint64_t lost_bytes = 0;
  std::map<std::string, std::uint64_t> dropped;
  std::size_t largest_room = 0;

 private:
  static Kept& of(Source source) { return *reinterpret_cast<Kept*>(source); }

  Loop& loop_;
  FakeMemory& memory_;
  Budget budget_{256 << 20};
  Account account_{budget_};
  Pool pool_{account_};
  BatchPool batches_{pool_};
  ChunkRef current_;
  std::map<std::string, std::unique_ptr<Tag>> tags_;
  std::vector<std::unique_ptr<Kept>> sources_;
};

}  // namespace logweir
