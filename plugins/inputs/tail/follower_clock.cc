// SPDX-License-Identifier: Apache-2.0
// What only the clock can tell, and the end of exit_on_eof.
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "plugins/inputs/tail/follower.h"

namespace logweir::tail {

namespace {

constexpr Nanos kTryAgain = kSecond;

}  // namespace

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
  const std::uint64_t size_seen = file.packed ? file.packed->size : file.seen_size;
  if (file.fd && fstat(file.fd.get(), &st) == 0 && !file.copy && static_cast<std::uint64_t>(st.st_size) != size_seen) {
    return queue(file);
  }
  if (!paused_) release_next(file);
  if (paused_ || !join_is_settled(file) || now - file.last_news < options_.rotate_wait.value) return;
  finish(file);
}

// What comes to files that may not be read is counted at least.
void Follower::look_while_paused() {
  for (const List<TailFile>* list : {&live_, &backlog_}) {
    for (TailFile* file = list->front(); file != nullptr; file = list->after(file->turn)) {
      struct stat st;
      if (!file->fd || file->packed || fstat(file->fd.get(), &st) != 0) continue;
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
  if (!opening_.empty() || !live_.empty() || !backlog_.empty() || !unpacking_.empty() || !keeping_.empty())
    return false;
  bool all = true;
  files_.each([&](TailFile& file) {
    const bool reading = file.state == TailFile::State::held || !file.at_end || file.cold || file.before != nullptr;
    if (reading) all = false;
    if (reading || file.state != TailFile::State::ready) return;
    if (file.fd && file.unread() > 0 && !reader_.flush_partial(file)) all = false;
    if (services_.intake.prefix_of(file.source) < file.offset) all = false;
  });
  return all;
}

}  // namespace logweir::tail
