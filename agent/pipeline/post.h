// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loop/jobs.h"
#include "loop/loop.h"
#include "metrics/metrics.h"
#include "pipeline/backlog.h"
#include "pipeline/chain.h"
#include "pipeline/durables.h"
#include "pipeline/gate.h"
#include "pipeline/ledger.h"
#include "pipeline/poison_bin.h"
#include "pipeline/router.h"
#include "pipeline/tag_table.h"
#include "pipeline/tap.h"
#include "plugin/input.h"
#include "record/decoder.h"
#include "state/state.h"

namespace logweir {

// Resource, one per worker. A chunk that small reads of all inputs share until it is full.
class ReadSpace {
 public:
  explicit ReadSpace(Pool& pool) : pool_(pool) {}
  ChunkRef room(std::size_t bytes) {
    if (!open_ || open_->room() < bytes) open_ = pool_.take(Use::intake, bytes);
    return open_.share();
  }
  ChunkRef own(std::size_t bytes) { return pool_.take(Use::intake, bytes); }
  ChunkRef exact(std::size_t bytes) { return pool_.take_exact(Use::intake, bytes); }
  [[nodiscard]] std::uint64_t limit() const { return pool_.account().budget().limit(); }
  void let_go() { open_.reset(); }

 private:
  Pool& pool_;
  ChunkRef open_;
};

// Value. What the posts of a worker share; all of it outlives them.
struct PostServices {
  Loop& loop;
  BatchPool& batches;
  ReadSpace& space;
  Ledger& ledger;
  Chain& chain;
  PoisonBin& poison;
  Router& router;
  TagTable& tags;
  Durables& durables;
  State* state;  // may be null
  Metrics& metrics;
  Jobs::Desk& jobs;
  Log log;
  std::size_t lanes;              // gate reasons 0..lanes-1; then the pool
  std::function<void()> starved;  // the pool had nothing: see to it that the gates are opened again
  Tap* tap = nullptr;
};

// Resource, one per input and worker: where its records come in. Counts, parses, filters, routes; holds the input's
// gate when a lane it feeds is full or the pool has no room.
class Post final : public Intake {
 public:
  Post(PostServices services, std::string name, std::string id, std::vector<std::unique_ptr<Decoder>> decoders);

  // Null: there is none any more.
  void attach(Input* input);
  // Lane `lane` fell to its low mark.
  void lane_has_room(std::size_t lane);
  [[nodiscard]] Backlog& backlog() { return backlog_; }
  [[nodiscard]] Gate& gate() { return gate_; }
  [[nodiscard]] std::size_t pool_reason() const { return services_.lanes; }

  ChunkRef room(std::size_t bytes) override;
  ChunkRef own_room(std::size_t bytes) override;
  ChunkRef exact_room(std::size_t bytes) override;
  [[nodiscard]] std::uint64_t memory_limit() const override { return services_.space.limit(); }
  BatchRef batch(const OriginRef& origin) override;
  void deliver(BatchRef batch, Source source, std::uint64_t begin, std::uint64_t end) override;
  Source open_source(const SourceSpec& spec) override { return services_.ledger.open(spec.uid, spec.start, spec.name); }
  std::uint64_t start_of(Source source) const override { return Ledger::start_of(*source); }
  void close_source(Source source, bool forget, std::function<void()> finished) override;
  std::uint64_t prefix_of(Source source) const override { return Ledger::prefix_of(*source); }
  void keep_fact(std::string_view key, std::string_view value, std::function<void()> durable) override;
  void drop_fact(std::string_view key) override;
  void count_lost_bytes(std::uint64_t bytes) override { lost_bytes_.add(bytes); }
  void count_truncated() override { truncated_.add(1); }
  void count_dropped(std::string_view reason, std::uint64_t records) override;
  const Tag* tag(std::string_view text) override { return services_.tags.intern(text); }

 private:
  void decode(Batch& batch);
  Decoded run(Decoder& decoder, Batch& batch, Nanos wall);
  void deliver_again(const BatchRef& batch, SourceState& second, std::uint64_t begin, std::uint64_t end);
  void lose_left(std::uint64_t bytes);
  ChunkRef or_hold(ChunkRef chunk);

  PostServices services_;
  std::string name_;
  std::string id_;
  std::vector<std::unique_ptr<Decoder>> decoders_;
  Counter& records_;
  Counter& bytes_;
  Counter& lost_bytes_;
  Counter& truncated_;
  Counter& parse_failed_;
  Counter& time_failed_;
  Histogram& batch_bytes_;
  Histogram& batch_records_;
  Spare spare_;
  Gate gate_;
  Backlog backlog_;
};

}  // namespace logweir
