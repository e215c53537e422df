// SPDX-License-Identifier: Apache-2.0
// Rotation by rename, deletion, and lines split over them.
#include <algorithm>
#include <utility>

#include "plugins/inputs/tail/follower.h"

namespace logweir::tail {

namespace {

constexpr Nanos kJoinAfter = kSecond;  // so long the end of a split line may still come to the old file

}  // namespace

void Follower::enter_stream(TailFile& file) {
  if (!file.wanted) file.rotated = true;
  TailFile* const older = files_.enter_stream(file);
  if (file.after != nullptr) mark_rotated(file);
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
  release_next(file);
  const bool partial = options_.partial_timeout.value > 0 && file.unread() > 0;
  if (file.rotated || partial) watch_by_clock(file);
}

// Whether the end of a split line would have come by now; a restart does not make it younger.
bool Follower::is_quiet(const TailFile& file) const {
  const Nanos patience = std::min(kJoinAfter, options_.rotate_wait.value / 2);
  if (services_.loop.now() - file.last_news >= patience) return true;
  const auto stat = stat_fd(file.fd.get());
  return stat && services_.loop.wall() - stat->mtime >= patience;
}

// Lets the next younger file of the stream begin, unless the last line here may still get its end. A line without one
// when the younger file has its first: that line goes on there.
void Follower::release_next(TailFile& file) {
  TailFile* const next = file.after;
  if (next == nullptr || file.before != nullptr) return;
  const bool replaced = file.gone && file.path == file.stream_name();
  // A compressed file is whole: what its last line lacks is not in another one.
  if (file.state == TailFile::State::ready && file.unread() > 0 && !replaced && file.fd && !file.packed) {
    const bool opened = next->state != TailFile::State::fresh || next->at_end;
    if (!opened || (!file.copy && !is_quiet(file))) return watch_by_clock(file);
    if (const TailFile* joiner = joiner_of(file)) {
      if (joiner->known != nullptr) return watch_by_clock(file);  // until it is opened
      take_as_joined(file, *joiner);
    }
    if (file.unread() > 0 && next->offset == 0) {
      next->joins = file.serial;
      services_.log.debug("{} ends in the middle of a line, which is taken to go on in {}", file.path, next->path);
    }
  } else if (file.joins != 0 && file.seen_size == 0 && next->offset == 0) {
    if (!is_quiet(file)) return watch_by_clock(file);
    next->joins = std::exchange(file.joins, 0);  // nothing came in between
  }
  Files::release(file);
  queue(*next);
}

// The younger file in which an earlier run found the end of the last line here.
const TailFile* Follower::joiner_of(const TailFile& file) {
  if (file.joined.uid == 0) return nullptr;
  const TailFile* at = file.after;
  while (at != nullptr && (at->known != nullptr ? at->known->uid : at->uid) != file.joined.uid) at = at->after;
  return at;
}

void Follower::take_as_joined(TailFile& file, const TailFile& joiner) {
  if (joiner.offset < file.joined.to || file.joined.end > file.seen_size || file.joined.end <= file.offset) return;
  file.owed_from = std::min(file.owed_from, file.offset);
  file.offset = file.joined.end;
  file.scanned = std::max(file.scanned, file.offset);
  reader_.settle_join(file);
}

// The older files whose ends, one behind the other, are the front of our first line; the oldest first.
std::vector<TailFile*> Follower::fronts_of(const TailFile& file) const {
  std::vector<TailFile*> fronts;
  const TailFile* at = &file;
  while (at->joins != 0 && at->offset == 0) {
    TailFile* const older = files_.by_serial(at->joins);
    if (older == nullptr || older->unread() == 0 || !older->fd) break;
    fronts.push_back(older);
    at = older;
  }
  std::reverse(fronts.begin(), fronts.end());
  return fronts;
}

// The younger file's first line has its end: it is ours. False: no room, try again.
bool Follower::join(TailFile& file) {
  const std::vector<TailFile*> fronts = fronts_of(file);
  if (fronts.empty()) {
    file.joins = 0;
    return true;
  }
  if (file.line_end == 0) return true;
  for (TailFile* front : fronts) {
    front->joined = {file.uid, file.line_end, front->seen_size};
    generations_.keep(*front, nullptr);  // known before the line is: or its front would be sent once more by itself
  }
  if (!reader_.join(file, fronts)) return false;
  for (TailFile* front : fronts) {
    services_.log.debug("the last line of {} and the first one of {} are joined", front->path, file.path);
    account(*front);
    watch_by_clock(*front);
  }
  return true;
}

// Whether the front part of a joined line is done, since the whole line is.
bool Follower::join_is_settled(TailFile& file) {
  if (file.owed_from == TailFile::kNothingOwed) return true;
  bool done = true;
  files_.each([&](const TailFile& other) {
    if (other.uid == file.joined.uid && other.source != nullptr) {
      done = services_.intake.prefix_of(other.source) >= file.joined.to;
    }
  });
  if (done) reader_.settle_join(file);
  return done;
}

// A rotated file has been quiet for rotate_wait.
void Follower::finish(TailFile& file) {
  if (file.state == TailFile::State::ready && file.fd && file.unread() > 0) {
    if (!reader_.flush_partial(file)) return;
    account(file);
  }
  if (file.gone || !file.wanted) return drop(file);
  file.rotated = false;
  if (file.state == TailFile::State::ready) generations_.refresh_fact(file, true);
  descriptors_.close(file);
}

void Follower::drop(TailFile& file) {
  const bool unread = file.state == TailFile::State::ready && file.unread() > 0;
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

}  // namespace logweir::tail
