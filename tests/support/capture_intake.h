// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/input.h"

namespace logweir {

// Keeps what an input delivers, as text. Chunks are shared between small reads as the engine does it.
class CaptureIntake final : public Intake {
 public:
  struct Line {
    std::string text;
    std::uint64_t source = 0;  // number of the source, from 1
    std::uint64_t position = 0;
    std::uint32_t span = 0;
    bool truncated = false;
    Body body = Body::text;
    std::vector<std::pair<std::string, std::string>> attached;
  };

  explicit CaptureIntake(std::uint64_t limit = 64 << 20) : budget_(limit), account_(budget_), pool_(account_) {}

  ChunkRef room(std::size_t bytes) override {
    if (!has_room) return {};
    if (!current_ || current_->room() < bytes) current_ = pool_.take(Use::intake, bytes);
    return current_.share();
  }
  ChunkRef own_room(std::size_t bytes) override { return has_room ? pool_.take(Use::intake, bytes) : ChunkRef(); }
  ChunkRef exact_room(std::size_t bytes) override {
    return has_room && has_exact_room ? pool_.take_exact(Use::intake, bytes) : ChunkRef();
  }
  [[nodiscard]] std::uint64_t memory_limit() const override { return budget_.limit(); }
  BatchRef batch(const OriginRef& origin) override {
    BatchRef made = batches_.make();
    made->origin = origin;
    return made;
  }
  void deliver(BatchRef batch, Source source, std::uint64_t begin, std::uint64_t end) override {
    ++deliveries;
    std::uint64_t& at = ends_[source];
    disorder += begin < at || end < begin ? 1U : 0U;
    at = end;
    for (const Record& record : batch->records) {
      lines.push_back({std::string(record.text()), number(source), record.position, record.span,
                       (record.flags & Record::kTruncated) != 0, record.body, batch->origin->attached});
    }
    if (keep_batches) kept.push_back(std::move(batch));
    if (on_deliver) on_deliver();
  }
  Source open_source(const SourceSpec&) override {
    ++opened;
    return reinterpret_cast<Source>(opened);
  }
  [[nodiscard]] std::uint64_t start_of(Source) const override { return 0; }
  void close_source(Source, bool, std::function<void()> finished) override {
    ++closed;
    finished();
  }
  [[nodiscard]] std::uint64_t prefix_of(Source source) const override {
    const auto found = ends_.find(source);
    return found == ends_.end() ? 0 : found->second;
  }
  void keep_fact(std::string_view, std::string_view, std::function<void()> durable) override {
    if (durable) durable();
  }
  void drop_fact(std::string_view) override {}
  void count_lost_bytes(std::uint64_t bytes) override { lost_bytes += bytes; }
  void count_truncated() override { ++truncated; }
  void count_dropped(std::string_view, std::uint64_t records) override { dropped += records; }
  const Tag* tag(std::string_view text) override {
    tags_.push_back({std::string(text), static_cast<std::uint32_t>(tags_.size())});
    return &tags_.back();
  }

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Line& line : lines) all.push_back(line.text);
    return all;
  }
  // Chunks that somebody still holds, the shared one not counted.
  [[nodiscard]] std::uint64_t pinned() const { return pool_.out() - (current_ ? 1 : 0); }
  void drop_shared() { current_.reset(); }
  // Bytes charged, the shared chunk included.
  [[nodiscard]] std::uint64_t charged() const { return account_.used(); }

  bool has_room = true;
  bool has_exact_room = true;
  bool keep_batches = false;
  std::function<void()> on_deliver;
  std::vector<Line> lines;
  std::uint64_t deliveries = 0;
  std::uint64_t disorder = 0;  // ranges that did not follow one another
  std::uint64_t opened = 0;
  std::uint64_t closed = 0;
  std::uint64_t truncated = 0;
  std::uint64_t dropped = 0;
  std::uint64_t lost_bytes = 0;

 private:
  static std::uint64_t number(Source source) { return reinterpret_cast<std::uint64_t>(source); }

  Budget budget_;
  Account account_;
  Pool pool_;
  BatchPool batches_{pool_};
  ChunkRef current_;
  std::deque<Tag> tags_;
  std::map<Source, std::uint64_t> ends_;

 public:
  std::vector<BatchRef> kept;  // ends before the pools
};

}  // namespace logweir
