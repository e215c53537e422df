// SPDX-License-Identifier: Apache-2.0
// What becomes of files: rotation, truncation, copies, the end; and what only the clock can tell.
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "plugins/inputs/tail/follower.h"
#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

namespace {

constexpr Nanos kTryAgain = kSecond;
constexpr Nanos kBelieveShrunk = kSecond;  // on a network filesystem, whose sizes may be stale

}  // namespace

// ---- rotation ----

void Follower::enter_stream(TailFile& file) {
  if (!file.wanted) file.rotated = true;
  TailFile* const older = files_.enter_stream(file);
  if (older == nullptr) return;
  rotations_.add(1);
  if (older->gone) {
    services_.log.info("{} was replaced by another file, which is read from its start", file.path);
  } else {
    services_.log.debug("{} was rotated; the old file is read to its end first", file.path);
  }
  mark_rotated(*older);
}

void Follower::mark_rotated(TailFile& file) {
  file.rotated = true;
  file.last_news = services_.loop.now();
  watch_by_clock(file);
  queue(file);
}

void Follower::reached_end(TailFile& file) {
  file.at_end = true;
  if (file.state == TailFile::State::ready) generations_.refresh_fact(file, false);
  if (TailFile* const waiting = Files::release(file)) queue(*waiting);
  const bool partial = options_.partial_timeout.value > 0 && file.unread() > 0;
  if (file.rotated || partial) watch_by_clock(file);
}

// A rotated file has been quiet for rotate_wait.
void Follower::finish(TailFile& file) {
  if (file.state == TailFile::State::ready && file.fd && file.unread() > 0 && !file.copy) {
    if (!reader_.flush_partial(file)) return;
    account(file);
  }
  if (file.gone || !file.wanted) return drop(file);
  file.rotated = false;
  if (file.state == TailFile::State::ready) generations_.refresh_fact(file, true);
  descriptors_.close(file);
}

void Follower::drop(TailFile& file) {
  const bool unread = file.state == TailFile::State::ready && file.unread() > 0 && !file.copy;
  if (unread) lose(file);
  if (file.known) generations_.prune(file.known->uid);
  generations_.forget(file);
  file.seen_size = 0;
  account(file);
  descriptors_.close(file);
  if (file.number != kNoFile) exchange_.let_go(file.number);
  TailFile* const waiting = file.after;
  files_.remove(file);
  if (waiting != nullptr && waiting->before == nullptr) queue(*waiting);
}

// ---- truncation ----

void Follower::shrunk(TailFile& file) {
  struct stat st;
  const bool empty = fstat(file.fd.get(), &st) == 0 && st.st_size == 0;
  if (empty || !reader_.is_remote(file)) return truncated(file);
  const Nanos now = services_.loop.now();
  if (file.shrunk_since == 0) file.shrunk_since = now;
  if (now - file.shrunk_since >= kBelieveShrunk) return truncated(file);
  watch_by_clock(file);
}

void Follower::lose(TailFile& file) {
  const std::uint64_t lost = file.unread();
  if (lost == 0) return;
  services_.intake.count_lost_bytes(lost);
  services_.log.warn("{}: {} bytes were destroyed before they could be read", file.path, lost);
}

void Follower::truncated(TailFile& file) {
  truncations_.add(1);
  TailFile* const copy = copy_of(file);
  if (copy != nullptr) {
    adopt_copy(*copy, file);
  } else {
    services_.log.info("{} was truncated; it is read from its start again", file.path);
    lose(file);
    keeping_.erase(file.uid);
    generations_.forget(file);
  }
  account(file);
  queue(file);
}

// ---- copies ----

TailFile* Follower::held_copy_of(const TailFile& file) {
  for (TailFile* held = lingering_.front(); held != nullptr; held = lingering_.after(held->linger)) {
    if (held->state != TailFile::State::held || !held->fd || files_.newest(held->base) != &file) continue;
    const auto stat = stat_fd(held->fd.get());
    bool whole = false;
    if (stat && is_copy_of(held->fd.get(), *stat, file, whole)) return held;
  }
  return nullptr;
}

TailFile* Follower::copy_of(const TailFile& file) {
  if (TailFile* const held = held_copy_of(file)) return held;
  FoundCopy found = find_copy(file, files_);
  if (!found.fd) return nullptr;
  TailFile* copy = files_.by_inode(found.stat.id);
  if (copy == nullptr) {
    copy = &files_.add(found.stat.id);
    copy->path = std::move(found.path);
    copy->wanted = false;  // until discovery tells of it
  }
  if (!copy->fd) descriptors_.adopt(*copy, std::move(found.fd));
  return copy;
}

void Follower::adopt_copy(TailFile& copy, TailFile& original) {
  const auto stat = stat_fd(copy.fd.get());
  const std::uint64_t size = stat ? stat->size : 0;
  const std::uint64_t reached = std::max(size, original.offset);
  const std::uint64_t lost = original.seen_size > reached ? original.seen_size - reached : 0;
  services_.log.info("{} was truncated; what was not read of it is taken from the copy {}", original.path, copy.path);
  if (lost > 0) {
    services_.intake.count_lost_bytes(lost);
    services_.log.warn("{}: {} bytes are not in the copy; they were destroyed before they could be read", original.path,
                       lost);
  }
  const auto keeping = keeping_.find(original.uid);
  if (keeping != keeping_.end()) keeping->second = copy.serial;
  files_.leave_stream(copy);
  generations_.hand_over(original, copy);
  Files::put_before(copy, original);
  copy.seen_size = size;
  copy.at_end = false;
  mark_rotated(copy);
  account(copy);
}

void Follower::check_held(TailFile& file) {
  if (descriptors_.ensure(file) != Opened::open) {
    if (file.gone) return drop(file);
    return watch_by_clock(file);
  }
  const Nanos now = services_.loop.now();
  file.told = false;
  if (file.changed != nullptr) file.changed->store(false);
  const auto stat = stat_fd(file.fd.get());
  const std::uint64_t size = stat ? stat->size : 0;
  if (size != std::exchange(file.seen_size, size)) file.last_news = now;
  TailFile* const original = files_.newest(file.base);
  if (original == nullptr || descriptors_.ensure(*original) != Opened::open) return release_held(file);
  watch_by_clock(file);
  if (original->cold || original->known) return;
  const auto now_there = stat_fd(original->fd.get());
  const std::uint64_t original_size = now_there ? now_there->size : 0;
  if (original->uid != 0 && (original_size < original->seen_size || !reader_.still_same(*original))) {
    return truncated(*original);  // it takes us when we are its copy
  }
  const bool waited = now - file.last_news >= options_.rotate_wait.value;
  if (waited && file.gone) return drop(file);
  const Likeness likeness = compare(file.fd.get(), size, original->fd.get(), original_size);
  if (waited || likeness == Likeness::differs) release_held(file);
}

// It is a file of its own.
void Follower::release_held(TailFile& file) {
  file.state = TailFile::State::fresh;
  file.base.clear();
  enter_stream(file);
  queue(file);
}

// ---- the clock ----

void Follower::watch_by_clock(TailFile& file) {
  if (!file.linger.linked()) lingering_.push_back(file.linger);
  if (!timer_.armed()) timer_.arm(services_.loop.now() + kTick, kTick / 4);
}

void Follower::tick() {
  const Nanos now = services_.loop.now();
  List<TailFile> looked_at;
  while (TailFile* file = lingering_.front()) {
    looked_at.push_back(file->linger);
    look_by_clock(*file, now);
  }
  while (TailFile* file = looked_at.front()) lingering_.push_back(file->linger);
  if (paused_) look_while_paused();
  show_levels();
  maybe_finished();
  const bool waiting = !lingering_.empty() || (options_.exit_on_eof && !finished_);
  if (waiting || paused_) timer_.arm(now + (waiting ? kTick : kSecond), kTick / 4);
}

// Takes the file off the list when there is nothing more to wait for; it may be gone afterwards.
void Follower::look_by_clock(TailFile& file, Nanos now) {
  if (file.cold || file.turn.linked()) return;
  if (file.state == TailFile::State::held || file.shrunk_since != 0) return queue(file);
  if (file.open_failed != 0) {
    if (file.gone && !file.fd) return drop(file);
    if (now - file.open_failed >= kTryAgain) queue(file);
    return;
  }
  if (file.rotated) return look_at_rotated(file, now);
  const Nanos patience = options_.partial_timeout.value;
  if (patience > 0 && file.at_end && file.unread() > 0 && file.state == TailFile::State::ready && file.fd) {
    if (now - file.last_news < patience || paused_) return;
    if (reader_.flush_partial(file)) account(file);
    return;
  }
  file.linger.leave();
}

void Follower::look_at_rotated(TailFile& file, Nanos now) {
  if (file.state == TailFile::State::keeping || file.before != nullptr) return;
  if (!file.at_end) return queue(file);
  struct stat st;
  if (file.fd && fstat(file.fd.get(), &st) == 0 && !file.copy &&
      static_cast<std::uint64_t>(st.st_size) != file.seen_size) {
    return queue(file);
  }
  if (paused_ || now - file.last_news < options_.rotate_wait.value) return;
  finish(file);
}

// What comes to files that may not be read is counted at least.
void Follower::look_while_paused() {
  for (const List<TailFile>* list : {&live_, &backlog_}) {
    for (TailFile* file = list->front(); file != nullptr; file = list->after(file->turn)) {
      struct stat st;
      if (!file->fd || fstat(file->fd.get(), &st) != 0) continue;
      file->seen_size = std::max(file->seen_size, static_cast<std::uint64_t>(st.st_size));
      account(*file);
    }
  }
}

// ---- exit_on_eof ----

void Follower::maybe_finished() {
  if (!options_.exit_on_eof || finished_ || !scanned_ || paused_) return;
  if (!all_read()) {
    if (!timer_.armed()) timer_.arm(services_.loop.now() + kTick, kTick / 4);
    return;
  }
  finished_ = true;
  if (exchange_.read_all()) services_.finished();
}

bool Follower::all_read() {
  if (!opening_.empty() || !live_.empty() || !backlog_.empty() || !keeping_.empty()) return false;
  bool all = true;
  files_.each([&](TailFile& file) {
    if (file.state == TailFile::State::held || !file.at_end || file.cold || file.before != nullptr) all = false;
    if (!all || file.state != TailFile::State::ready) return;
    if (file.fd && file.unread() > 0 && !file.copy && !reader_.flush_partial(file)) all = false;
    if (services_.intake.prefix_of(file.source) < file.offset) all = false;
  });
  return all;
}

}  // namespace logweir::tail
