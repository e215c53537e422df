// SPDX-License-Identifier: Apache-2.0
#include "spool/writer.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace logweir {

std::uint64_t SpoolWriter::bytes() const {
  std::uint64_t sum = spare_bytes_;
  for (const Segment& segment : segments_) sum += segment.bytes;
  return sum;
}

Status SpoolWriter::append(std::span<const std::string_view> frames, Nanos wall) {
  std::vector<iovec> parts;
  parts.reserve(frames.size());
  std::uint64_t size = 0;
  std::uint64_t records = 0;
  for (const std::string_view frame : frames) {
    const auto head = read_head(frame, mark());
    LW_CHECK(head && head->sequence == next_ + parts.size() && head->frame_size() == frame.size());
    parts.push_back({const_cast<char*>(frame.data()), frame.size()});
    size += frame.size();
    records += head->records;
  }
  if (parts.empty()) return {};
  const bool fits = file_ && !broken_ && offset_ + size <= segments_.back().bytes;
  if (!fits) {
    if (Status rolled = roll(size, wall); !rolled.ok()) return rolled;
  }
  if (Status wrote = file_->write(parts, offset_); !wrote.ok()) {
    broken_ = true;
    return wrote;
  }
  offset_ += size;
  next_ += parts.size();
  records_ += records;
  return {};
}

Status SpoolWriter::sync() {
  if (synced_ == next_) return {};
  if (Status synced = options_.sync ? file_->sync() : Status(); !synced.ok()) {
    // Pages that could not be written may count as clean now, so a second try would prove nothing.
    broken_ = true;
    next_ = synced_;
    records_ = synced_records_;
    return synced;
  }
  synced_ = next_;
  synced_records_ = records_;
  return {};
}

// Goes on in a new segment that has room for `need` bytes. All of the one before is stored then: only one file ever
// holds frames that are not.
Status SpoolWriter::roll(std::uint64_t need, Nanos wall) {
  if (Status synced = sync(); !synced.ok()) return synced;
  const std::uint64_t size = std::max(options_.segment_bytes, kSegmentStart + need);
  if (file_ && broken_) clean_from_ = next_;
  // One that holds nothing good has the very name the new one gets.
  if (!segments_.empty() && segments_.back().first == next_) {
    file_.reset();
    if (Status removed = disk_.remove(segment_path(directory_, next_)); !removed.ok()) {
      if (removed.code() != Code::not_found) return removed;
    }
    segments_.pop_back();
  }
  if (Status space = check_space(size); !space.ok()) return space;
  // From now on the new name may be on disk even if making it fails, and it shuts out what follows in the old segment.
  broken_ = true;
  auto made = make_segment(size, wall);
  if (!made.ok()) return made.status();
  file_ = std::move(made).value();
  segments_.push_back({next_, size});
  offset_ = kSegmentStart;
  broken_ = false;
  return {};
}

Status SpoolWriter::check_space(std::uint64_t more) {
  if (spare_bytes_ == more) return {};
  const std::uint64_t most = std::max(options_.max_bytes, 2 * options_.segment_bytes);
  if (bytes() + more > most) {
    return {Code::full, "spool " + directory_ + ": it is at its limit of " + std::to_string(most) + " bytes"};
  }
  auto free = disk_.free_bytes(directory_);
  if (!free.ok()) return free.status();
  if (free.value() < options_.min_free + more) {
    return {Code::full, "spool " + directory_ + ": the file system has " + std::to_string(free.value()) +
                            " bytes free, of which " + std::to_string(options_.min_free) + " are to stay free"};
  }
  return {};
}

// A file of that size, from the spare one where it fits: its blocks have been written before, which makes a sync of
// new content cheaper.
Result<std::unique_ptr<DiskFile>> SpoolWriter::segment_file(const std::string& path, std::uint64_t size) {
  if (spare_bytes_ == size) {
    spare_bytes_ = 0;
    if (Status renamed = disk_.rename(this->path(kSpareName), path); renamed.ok()) {
      return disk_.open(path, Disk::Open::write);
    }
    (void)disk_.remove(this->path(kSpareName));
  }
  auto file = disk_.open(path, Disk::Open::create);
  if (!file.ok()) return file.status();
  if (Status allocated = file.value()->allocate(size); !allocated.ok()) return allocated;
  if (!options_.fill) return file;
  if (Status filled = fill(*file.value(), size); !filled.ok()) return filled;
  return file;
}

Status SpoolWriter::fill(DiskFile& file, std::uint64_t size) {
  const std::vector<char> zeros(std::min<std::uint64_t>(size, 1 << 20));
  for (std::uint64_t at = 0; at < size;) {
    const iovec part{const_cast<char*>(zeros.data()), std::min<std::uint64_t>(zeros.size(), size - at)};
    if (Status wrote = file.write({&part, 1}, at); !wrote.ok()) return wrote;
    at += part.iov_len;
  }
  return {};
}

// Its name and its label are safe before any frame goes into it.
Result<std::unique_ptr<DiskFile>> SpoolWriter::make_segment(std::uint64_t size, Nanos wall) {
  const std::string path = segment_path(directory_, next_);
  std::vector<char> start(kSegmentStart);
  SpoolLabel label = label_;
  label.kind = SpoolLabel::Kind::segment;
  label.a = next_;
  label.b = records_;
  label.c = 0;
  label.wall = wall;
  write_label(label, start.data());
  const iovec part{start.data(), start.size()};

  auto file = segment_file(path, size);
  Status status = file.ok() ? Status() : file.status();
  if (status.ok()) status = file.value()->write({&part, 1}, 0);
  if (status.ok()) status = file.value()->sync();
  if (status.ok()) status = disk_.sync_directory(directory_);
  if (status.ok()) return file;
  // Should this fail too: the next attempt makes the file anew, and a start finds it empty.
  (void)disk_.remove(path);
  return status;
}

Status SpoolWriter::write_state(Nanos wall) {
  label_.c = std::max(synced_, label_.b);
  label_.wall = wall;
  Status wrote = state_.write(label_);
  state_is_old_ = !wrote.ok();
  return wrote;
}

Status SpoolWriter::trim(std::uint64_t frontier, Nanos wall) {
  frontier = std::max(std::min(frontier, synced_), label_.b);
  Status wrote;
  if (frontier != label_.b || state_is_old_) {
    label_.b = frontier;
    wrote = write_state(wall);
  }
  // Without the new state a start takes the first segment there is as the frontier, so deleting is safe even then. But
  // a file that an old state still wants must not be used again.
  Status removed = remove_below(frontier, wrote.ok());
  return wrote.ok() ? std::move(removed) : std::move(wrote);
}

// Never the newest segment: its name is what keeps sequences from being used twice.
Status SpoolWriter::remove_below(std::uint64_t frontier, bool may_reuse) {
  std::size_t gone = 0;
  Status status;
  while (status.ok() && gone + 1 < segments_.size() && segments_[gone + 1].first <= frontier) {
    status = put_away(segments_[gone], may_reuse);
    if (status.ok()) ++gone;
  }
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(gone));
  return status;
}

// Deletes a segment, or keeps its file to be used again. One that a write failed on may hold frames of later sequences,
// so it must not come back.
Status SpoolWriter::put_away(const Segment& segment, bool may_reuse) {
  const std::string path = segment_path(directory_, segment.first);
  const bool reuse =
      may_reuse && spare_bytes_ == 0 && segment.first >= clean_from_ && segment.bytes == options_.segment_bytes;
  if (reuse && disk_.rename(path, this->path(kSpareName)).ok()) {
    spare_bytes_ = segment.bytes;
    return {};
  }
  Status removed = disk_.remove(path);
  return removed.code() == Code::not_found ? Status() : std::move(removed);
}

Status SpoolWriter::rest(Nanos wall) {
  if (label_.b != next_ || synced_ != next_) return {};
  if (segments_.empty() && spare_bytes_ == 0) return {};
  if (Status wrote = write_state(wall); !wrote.ok()) return wrote;
  file_.reset();
  for (; !segments_.empty(); segments_.pop_back()) {
    if (Status removed = put_away(segments_.back(), false); !removed.ok()) return removed;
  }
  if (std::exchange(spare_bytes_, 0) != 0) return disk_.remove(path(kSpareName));
  return {};
}

}  // namespace logweir
