// SPDX-License-Identifier: Apache-2.0
// Truncation, and the copies that copytruncate makes before it.
#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "plugins/inputs/tail/follower.h"
#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

namespace {

constexpr Nanos kBelieveShrunk = kSecond;  // on a network filesystem, whose sizes may be stale

}  // namespace

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
    rereads_.moved(file.source, *copy);
    adopt_copy(*copy, file);
  } else {
    services_.log.info("{} was truncated; it is read from its start again", file.path);
    lose(file);
    rereads_.lost(file.source);
    keeping_.erase(file.uid);
    generations_.forget(file);
  }
  release_between(file);
  account(file);
  queue(file);
}

// ---- copies ----

// The open files that are held since they may be copies of `original`.
std::vector<TailFile*> Follower::held_for(const TailFile& original) {
  std::vector<TailFile*> held;
  for (TailFile* file = lingering_.front(); file != nullptr; file = lingering_.after(file->linger)) {
    const std::string_view base = file->base.view();
    const bool ours = file->state == TailFile::State::held && (base == original.path || base == original.stream_name());
    if (ours && descriptors_.ensure(*file) == Opened::open) held.push_back(file);
  }
  return held;
}

// What a held file may be a copy of: the newest file of that name, and those that had it until lately.
std::vector<TailFile*> Follower::originals_of(const TailFile& held) {
  std::vector<TailFile*> originals;
  TailFile* const newest = files_.newest(held.base.view());
  if (newest != nullptr) originals.push_back(newest);
  for (TailFile* file = lingering_.front(); file != nullptr; file = lingering_.after(file->linger)) {
    const bool was = file->state != TailFile::State::held && file != newest && !file->copy;
    if (was && file->stream_name() == held.base.view()) originals.push_back(file);
  }
  return originals;
}

TailFile* Follower::held_copy_of(const TailFile& file) {
  TailFile* shorter = nullptr;
  for (TailFile* held : held_for(file)) {
    const auto stat = stat_fd(held->fd.get());
    bool whole = false;
    if (!stat || !is_copy_of(held->fd.get(), *stat, file, whole)) continue;
    if (whole) return held;
    shorter = held;
  }
  return shorter;
}

TailFile* Follower::copy_of(const TailFile& file) {
  if (file.packed) return nullptr;
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
  watch_by_clock(file);
  bool differs = true;
  for (TailFile* original : originals_of(file)) {
    if (descriptors_.ensure(*original) != Opened::open) continue;
    if (original->cold) return;
    if (original->known) {
      if (original->turn.linked()) opening_.push_back(file.turn);  // behind it
      return;
    }
    const auto now_there = stat_fd(original->fd.get());
    const std::uint64_t original_size = now_there ? now_there->size : 0;
    if (original->uid != 0 && (original_size < original->seen_size || !reader_.still_same(*original))) {
      truncated(*original);  // it takes us when we are its copy
      if (file.state != TailFile::State::held) return;
      continue;
    }
    if (compare(file.fd.get(), size, original->fd.get(), original_size) != Likeness::differs) differs = false;
  }
  const bool waited = now - file.last_news >= options_.rotate_wait.value;
  if (waited && file.gone && !differs) return drop(file);
  if (waited || differs) release_held(file);
}

// The original was truncated more than once since we looked: held files that it does not begin with now hold what came
// in between. They are read in the order of their last change, before what it holds now.
void Follower::release_between(TailFile& original) {
  std::vector<std::pair<std::int64_t, TailFile*>> between;
  for (TailFile* held : held_for(original)) {
    const auto stat = stat_fd(held->fd.get());
    const auto now_there = original.fd ? stat_fd(original.fd.get()) : std::nullopt;
    if (!stat || !now_there || stat->size == 0) continue;
    const Likeness likeness = compare(held->fd.get(), stat->size, original.fd.get(), now_there->size);
    if (likeness == Likeness::differs) between.emplace_back(stat->mtime, held);
  }
  std::sort(between.begin(), between.end());
  for (const auto& [mtime, held] : between) {
    held->state = TailFile::State::fresh;
    held->stream = original.stream_name();
    held->base.clear();
    Files::put_before(*held, original);
    mark_rotated(*held);
  }
}

// It is a file of its own. Beside one that is being read already it can't be put in front of that any more.
void Follower::release_held(TailFile& file) {
  services_.log.debug("{} is no copy that is being made; it is read as a file of its own", file.path);
  const TailFile* const newest = files_.newest(file.stream_name());
  const bool too_late = newest != nullptr && newest->is_current() && newest->offset > newest->start;
  file.state = TailFile::State::fresh;
  file.base.clear();
  if (too_late) file.stream.clear();
  enter_stream(file);
  queue(file);
}

}  // namespace logweir::tail
