// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane_spool.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "pipeline/lane_spool_parts.h"

namespace logweir {

namespace {

constexpr std::uint64_t kWriteBytes = 4 << 20;  // most in one write
constexpr Nanos kTryAgain = kSecond;
constexpr Nanos kMemoryAgain = 20 * kMillisecond;
constexpr Nanos kTrimEvery = kSecond;
constexpr int kReadTries = 5;

Labels of_output(const std::string& name) { return {{"output", name}}; }

}  // namespace

LaneSpool::LaneSpool(Setup setup)
    : setup_(std::move(setup)),
      origins_(std::make_unique<Origins>(setup_.tags)),
      read_bytes_(Pool::kChunkSize),
      size_gauge_(
          setup_.metrics.gauge("logweir_spool_bytes", "Bytes of the output's spool files", of_output(setup_.name))),
      unread_gauge_(
          setup_.metrics.gauge("logweir_spool_records", "Records that are in the spool alone", of_output(setup_.name))),
      unstored_gauge_(setup_.metrics.gauge("logweir_spool_unstored_bytes", "Bytes on their way to the spool",
                                           of_output(setup_.name))),
      damaged_(setup_.metrics.counter("logweir_spool_damaged_frames_total",
                                      "Frames of the spool that could not be read", of_output(setup_.name))),
      failures_(setup_.metrics.counter("logweir_spool_failures_total",
                                       "Writes, syncs and reads of the spool that failed", of_output(setup_.name))),
      mail_(setup_.loop, [this](const Answer& answer) { answered(answer); }),
      retry_(setup_.loop.timers(), [this] { woken(); }),
      trim_timer_(setup_.loop.timers(), [this] { trim(); }) {
  setup_.metrics
      .gauge("logweir_spool_limit_bytes", "The limit of logweir_spool_bytes (storage.total_limit_size, per worker)",
             of_output(setup_.name))
      .set(static_cast<double>(setup_.options.max_bytes));
}

LaneSpool::~LaneSpool() { close(); }

Result<std::unique_ptr<LaneSpool>> LaneSpool::open(Setup setup) {
  std::unique_ptr<LaneSpool> spool(new LaneSpool(std::move(setup)));
  if (Status status = spool->open_shards(); !status.ok()) return status;
  return spool;
}

Status LaneSpool::open_shards() {
  const auto all = list_spools_in(setup_.disk, setup_.root);
  if (!all.ok()) return all.status();
  const std::string own = spool_directory_in(setup_.root, setup_.identity, setup_.worker);
  for (const SpoolPlace& place : places_of(all.value(), setup_.identity, setup_.worker, setup_.workers)) {
    if (place.directory == own) continue;
    if (Status status = open_shard(place); !status.ok()) {
      setup_.log.error("{}; it is left as it is", status.message());
    }
  }
  if (Status status = open_shard({spool_name(setup_.identity), setup_.worker, own}); !status.ok()) return status;
  next_ = this->own().writer->next();
  if (unread_ > 0) setup_.log.info("{} records of an earlier run wait in the spool and go first", unread_);
  // What an earlier run was done with, or another number of workers left, is given back even if nothing waits.
  const auto left = [this](const auto& shard) { return shard->size > 0 || shard != shards_.back(); };
  if (std::any_of(shards_.begin(), shards_.end(), left)) trim_timer_.arm(loop_now() + kTrimEvery, kTrimEvery / 4);
  return {};
}

Status LaneSpool::open_shard(const SpoolPlace& place) {
  auto writer = SpoolWriter::open(setup_.disk, place.directory, setup_.identity, setup_.options, setup_.loop.wall());
  if (!writer.ok()) return Status(writer.status()).while_doing("opening the spool " + place.directory);
  auto shard = std::make_unique<Shard>(setup_.disk, place, std::move(writer).value());
  const SpoolRecovered& found = shard->writer->recovered();
  if (found.torn > 0) {
    setup_.log.warn("the spool {} ends in {} torn frames, which were not acknowledged and are cut off", place.directory,
                    found.torn);
  }
  // The state is told of a delivery within milliseconds, the spool's own frontier moves once a second.
  shard->source = setup_.ledger.open(shard->mark, found.frontier, "spool " + setup_.name);
  shard->extent = shard->writer->stored();
  shard->size = shard->writer->bytes();
  std::uint64_t done = Ledger::prefix_of(*shard->source, setup_.lane);
  if (done > shard->extent.next) {  // frames that were done are gone, and their numbers come again
    setup_.ledger.close(shard->source, true, nullptr);
    shard->source = setup_.ledger.open(shard->mark, found.frontier, "spool " + setup_.name);
    done = found.frontier;
  }
  shard->trimmed = found.frontier;
  shard->read_next = std::clamp(done, found.frontier, shard->extent.next);
  if (shard->read_next > shard->source->read_to)
    setup_.ledger.begin(*shard->source, shard->source->read_to, shard->read_next);
  if (shard->has_unread()) {
    unread_ += found.records;
    setup_.ledger.counts.recovered += found.records;
  }
  shards_.push_back(std::move(shard));
  return {};
}

void LaneSpool::close() {
  if (std::exchange(closed_, true)) return;
  retry_.cancel();
  trim_timer_.cancel();
  std::unique_lock lock(lent_mutex_);
  lent_back_.wait(lock, [this] { return lent_ == 0; });
  lock.unlock();
  if (std::exchange(writing_, false)) user_->stored(commit_.status.ok());  // its answer will not be heard
  pieces_.clear();
  chunks_.clear();
}

LaneSpool::Shard& LaneSpool::own() { return *shards_.back(); }

// ---- writing ----

void LaneSpool::submit(Commit& commit, bool trim) {
  {
    const std::lock_guard lock(lent_mutex_);
    ++lent_;
  }
  commit.done = [this, trim] {
    mail_.send(Answer{trim});
    const std::lock_guard lock(lent_mutex_);
    if (--lent_ == 0) lent_back_.notify_all();
  };
  setup_.committer.submit(commit);
}

char* LaneSpool::room(std::size_t bytes) {
  if (chunks_.empty() || chunks_.back()->room() < bytes) {
    ChunkRef chunk = setup_.batches.pool().take(write_hunger_.use(), bytes);
    if (!chunk) return nullptr;
    chunks_.push_back(std::move(chunk));
  }
  char* const space = chunks_.back()->free_space();
  chunks_.back()->used += static_cast<std::uint32_t>(bytes);
  return space;
}

LaneSpool::Added LaneSpool::add(ShippingNode& node) {
  if (gathered_ >= kWriteBytes) return Added::full;
  const std::uint64_t begin = next_;
  const std::size_t frames = commit_.frames.size();
  const std::uint64_t gathered = gathered_;
  const std::size_t chunks = chunks_.size();
  const std::uint32_t used = chunks > 0 ? chunks_.back()->used : 0;
  // Frames that fit a pooled chunk can be written and read again when memory is short.
  const std::size_t most = setup_.batches.pool().chunk_size();
  Part rest{node.batch.get(), node.first, node.last};
  while (rest.first < rest.last) {
    const FramePlan plan = plan_frame(rest, most);
    char* const space = plan.records > 0 ? room(plan.bytes) : nullptr;
    if (space == nullptr) {
      commit_.frames.resize(frames);
      chunks_.resize(chunks);
      if (chunks > 0) chunks_.back()->used = used;
      gathered_ = gathered;
      next_ = begin;
      if (plan.records == 0) {
        fitting_ = rest.first - node.first;
        return Added::too_large;
      }
      if (frames > 0) return Added::full;
      write_hunger_.failed();
      wake_at(loop_now() + kMemoryAgain, kMemoryAgain);
      return Added::full;
    }
    encode_frame(rest, plan, {own().mark, next_++, setup_.loop.wall()}, space);
    commit_.frames.emplace_back(space, plan.bytes);
    gathered_ += plan.bytes;
    rest.first += plan.records;
  }
  write_hunger_.fed();
  pieces_.push_back({&node, begin, next_, node.count()});
  return Added::added;
}

void LaneSpool::write() {
  if (pieces_.empty()) return;
  writing_ = true;
  commit_.writer = own().writer.get();
  commit_.bytes = gathered_;
  submit(commit_, false);
}

void LaneSpool::answered(const Answer& answer) {
  if (closed_) return;
  if (answer.trim) {
    trimmed();
  } else {
    written();
  }
}

void LaneSpool::written() {
  writing_ = false;
  const bool ok = commit_.status.ok();
  next_ = commit_.next;
  own().extent = commit_.stored;
  own().size = commit_.size;
  commit_.frames.clear();
  chunks_.clear();
  gathered_ = 0;
  if (ok) {
    recovered();
  } else {
    failed(commit_.status);
  }
  user_->stored(ok);
  pieces_.clear();
  if (!trim_timer_.armed()) trim_timer_.arm(loop_now() + kTrimEvery, kTrimEvery / 4);
  user_->spool_ready();
}

void LaneSpool::failed(const Status& status) {
  failures_.add(1);
  fault_ = status.message();
  retry_at_ = loop_now() + kTryAgain;
  wake_at(retry_at_, kTryAgain / 8);
  if (const auto times = failure_log_.pass(loop_now())) {
    setup_.log.error(
        "the spool can't be written: {}; records stay in memory and it is tried again each second ({} "
        "failures)",
        fault_, *times);
  }
}

// The earliest of what is waited for wakes; the others are asked for again then.
void LaneSpool::wake_at(Nanos at, Nanos slack) {
  if (retry_.armed() && wake_at_ <= at) return;
  wake_at_ = at;
  retry_.arm(at, slack);
}

void LaneSpool::woken() {
  for (const Nanos at : {retry_at_, read_at_}) {
    if (at > loop_now()) wake_at(at, kMemoryAgain);
  }
  user_->spool_ready();
}

void LaneSpool::not_needed() {
  if (fault_.empty()) return;
  setup_.log.info("nothing waits for the spool that could not be written");
  fault_.clear();
}

void LaneSpool::recovered() {
  if (fault_.empty()) return;
  setup_.log.info("the spool is written again");
  fault_.clear();
  retry_at_ = 0;
}

bool LaneSpool::is_next(const Piece& piece) const {
  for (const auto& shard : shards_) {
    if (shard != shards_.back() && shard->has_unread()) return false;
  }
  return shards_.back()->read_next == piece.begin && read_ == nullptr;
}

ReceiptRef LaneSpool::claim(const Piece& piece) {
  LW_CHECK(own().read_next == piece.begin);
  own().read_next = piece.end;
  return setup_.ledger.begin(*own().source, piece.begin, piece.end);
}

// ---- reading ----

bool LaneSpool::has_unread() const {
  return std::any_of(shards_.begin(), shards_.end(), [](const auto& shard) { return shard->has_unread(); });
}

LaneSpool::Shard* LaneSpool::oldest_unread() {
  for (const auto& shard : shards_) {
    if (shard->has_unread()) return shard.get();
  }
  return nullptr;
}

void LaneSpool::read_more() {
  Shard* const shard = oldest_unread();
  if (closed_ || read_ != nullptr || shard == nullptr || loop_now() < read_at_) return;
  ChunkRef memory = setup_.batches.pool().take(read_hunger_.use(), read_bytes_);
  if (!memory) {
    read_later();
    return;
  }
  read_ = std::make_shared<Read>();  // shared by the two halves of the job; the second is the last
  read_->shard = shard;
  read_->memory = std::move(memory);
  read_->extent = shard->extent;
  const std::shared_ptr<Read> read = read_;
  Read* const lent = read.get();
  const std::span<char> space(lent->memory->data(), lent->memory->capacity);
  lent->from = shard->read_next;
  setup_.jobs.run(
      [lent, space] {
        lent->status = lent->shard->reader.read({lent->from, lent->extent.next}, lent->extent, space, lent->run);
      },
      [this, read] { read_ended(read); });
}

void LaneSpool::read_ended(const std::shared_ptr<Read>& read) {
  read_.reset();
  if (closed_) return;
  Shard& shard = *read->shard;
  if (!read->status.ok()) {
    give_up(shard, read->extent, read->status);
    return;
  }
  shard.read_failures = 0;
  if (read->run.needs > read_bytes_) {
    read_bytes_ = read->run.needs;
  } else if (read->run.needs == 0) {
    read_bytes_ = Pool::kChunkSize;
  }
  if (!take_in(shard, read->run)) {
    read_later();
    return;
  }
  if (!has_unread()) all_read();
  user_->spool_ready();
}

void LaneSpool::read_later() {
  read_hunger_.failed();
  read_at_ = loop_now() + kMemoryAgain;
  wake_at(read_at_, kMemoryAgain);
}

// False: the pool has no room for all of it; the rest is read again.
bool LaneSpool::take_in(Shard& shard, const SpoolRun& run) {
  ChunkRef room;
  for (std::size_t i = 0; i < run.frames.size(); ++i) {
    const FrameHead& head = run.heads[i];
    auto batch = decode_frame(run.frames[i], setup_.batches, *origins_, read_hunger_.use(), room);
    if (!batch.ok() && batch.status().code() == Code::full) return false;
    read_hunger_.fed();
    pass_over(shard, head.sequence, true);
    if (!batch.ok()) {
      pass_over(shard, head.sequence + 1, true);
      continue;
    }
    if (head.records > unread_) {
      setup_.ledger.counts.recovered += head.records - unread_;
      unread_ = head.records;
    }
    unread_ -= head.records;
    shard.read_next = head.sequence + 1;
    const ReceiptRef claim = setup_.ledger.begin(*shard.source, head.sequence, head.sequence + 1);
    for (Record& record : batch.value()->records) bodies_.distrust(record);
    batch.value()->claim = claim.get();
    batch.value()->read_at = loop_now() - std::max<Nanos>(setup_.loop.wall() - head.wall, 0);
    batch.value()->sealed = true;
    user_->came_back(std::move(batch).value(), claim);
  }
  pass_over(shard, run.end, true);
  return true;
}

// Frames that are not there any more, or will not be had.
void LaneSpool::pass_over(Shard& shard, std::uint64_t to, bool damaged) {
  if (to <= shard.read_next) return;
  const std::uint64_t frames = to - shard.read_next;
  setup_.ledger.begin(*shard.source, shard.read_next, to);
  shard.read_next = to;
  if (!damaged) return;
  saw_damage_ = true;
  damaged_.add(frames);
  if (const auto times = damage_log_.pass(loop_now())) {
    setup_.log.error(
        "{} frames of the spool {} are damaged and passed over ({} such places); logweir spool verify "
        "shows where",
        frames, shard.place.directory, *times);
  }
}

void LaneSpool::give_up(Shard& shard, const SpoolExtent& read_extent, const Status& why) {
  failures_.add(1);
  if (const auto times = failure_log_.pass(loop_now())) {
    setup_.log.error("the spool can't be read: {} ({} failures)", why.message(), *times);
  }
  // What is written behind it later is another matter.
  const std::uint64_t end = std::min(shard.reader.blocked().end, read_extent.next);
  if (++shard.read_failures >= kReadTries && end > shard.read_next) {
    shard.read_failures = 0;
    pass_over(shard, end, true);
    if (!has_unread()) all_read();
  }
  read_at_ = loop_now() + kTryAgain;
  wake_at(read_at_, kTryAgain / 8);
}

// What was counted as waiting and did not come was damaged; or it was done already, since what an earlier run left is
// counted from a frontier that lags behind.
void LaneSpool::all_read() {
  const std::uint64_t lost = std::exchange(unread_, 0);
  if (lost == 0) return;
  if (!std::exchange(saw_damage_, false)) {
    setup_.ledger.counts.recovered -= lost;
    return;
  }
  setup_.metrics
      .counter("logweir_dropped_records_total", "Records that were given up, by component and reason",
               {{"component", setup_.name}, {"reason", "spool_damaged"}})
      .add(lost);
  setup_.ledger.counts.dropped += lost;
}

// ---- deleting ----

void LaneSpool::trim() {
  bool more = false;
  for (const auto& shard : shards_) {
    if (!shard->writer) continue;
    const std::uint64_t frontier = Ledger::prefix_of(*shard->source, setup_.lane);
    const bool done = frontier == shard->extent.next && !(writing_ && shard == shards_.back());
    if (!done || !shard->rested) more = true;
    if (trimming_ != nullptr || (frontier == shard->trimmed && (!done || shard->rested))) continue;
    trimming_ = shard.get();
    trim_.writer = shard->writer.get();
    trim_.trim_to = frontier;
    trim_.rest = done;
    shard->trimmed = frontier;
    submit(trim_, true);
  }
  if (more) trim_timer_.arm(loop_now() + kTrimEvery, kTrimEvery / 4);
}

void LaneSpool::trimmed() {
  Shard& shard = *std::exchange(trimming_, nullptr);
  shard.size = trim_.size;
  shard.rested = trim_.rest && trim_.status.ok();
  if (!trim_.status.ok()) {
    shard.trimmed = 0;  // tried again
    setup_.log.debug("the spool {} could not be trimmed: {}", shard.place.directory, trim_.status.message());
  } else if (shard.rested && &shard != &own()) {
    remove(shard);
  }
  if (!fault_.empty()) retry_at_ = 0;  // there may be space now
  user_->spool_ready();
}

// A shard of another worker count is empty now and will not be used again.
void LaneSpool::remove(Shard& shard) {
  shard.writer.reset();
  setup_.ledger.close(std::exchange(shard.source, nullptr), true, nullptr);
  Disk* const disk = &setup_.disk;
  setup_.jobs.run([disk, place = shard.place] { (void)remove_spool(*disk, place); }, [] {});
}

void LaneSpool::refresh_gauges(std::uint64_t unstored_bytes) {
  std::uint64_t bytes = 0;
  for (const auto& shard : shards_) bytes += shard->writer ? shard->size : 0;
  size_gauge_.set(static_cast<double>(bytes));
  unread_gauge_.set(static_cast<double>(unread_));
  unstored_gauge_.set(static_cast<double>(std::max(unstored_bytes, writing_ ? commit_.bytes : 0)));
}

}  // namespace logweir
