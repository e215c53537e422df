// SPDX-License-Identifier: Apache-2.0
#include "spool/reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace logweir {

// Looks at the directory again only when the writer has a segment that was not there the last time. That one was made
// before `extent` told of it, so it is seen.
Status SpoolReader::list(const SpoolExtent& extent) {
  if (!segments_.empty() && segments_.back().first == extent.newest) return {};
  auto listed = list_segments(disk_, directory_);
  if (!listed.ok()) return listed.status();
  segments_ = std::move(listed).value();
  // One that is newer still holds nothing of what may be read.
  while (!segments_.empty() && segments_.back().first > extent.newest) segments_.pop_back();
  if (segment_) index_ = segment_of(segments_, segment_->first());
  if (index_ == segments_.size()) {
    segment_.reset();
    kept_.reset();
  }
  return {};
}

Result<std::vector<SequenceRange>> SpoolReader::ranges(std::uint64_t from, const SpoolExtent& extent) {
  if (Status listed = list(extent); !listed.ok()) return listed;
  std::vector<SequenceRange> found;
  for (std::size_t i = 0; i != segments_.size() && from < extent.next; ++i) {
    const std::uint64_t end = std::min(segment_limit(segments_, i), extent.next);
    if (end <= from) continue;
    found.push_back({from, end});
    from = end;
  }
  if (from < extent.next) found.push_back({from, extent.next});
  return found;
}

// Opens the segment that the position is in; none when all begin behind `limit`.
Status SpoolReader::open_segment(std::uint64_t limit) {
  index_ = segment_of(segments_, position_);
  if (index_ == segments_.size()) {
    if (segments_.empty() || segments_.front().first >= limit) return {};
    index_ = 0;
  }
  const Segment& segment = segments_[index_];
  auto file = disk_.open(segment_path(directory_, segment.first), Disk::Open::read);
  if (file.ok()) {
    segment_.emplace(std::move(file).value(), mark_, segment.first);
    return {};
  }
  if (file.status().code() != Code::not_found) {
    blocked_ = {segment.first, segment_limit(segments_, index_)};
    return file.status();
  }
  return {};  // gone: all of it is missing
}

// The next frame from the position on in the open segment.
Status SpoolReader::step(std::uint64_t limit, SegmentReader::Step& step) {
  if (kept_) {
    step = *std::exchange(kept_, std::nullopt);
    return {};
  }
  while (true) {
    auto next = segment_->next(limit);
    if (!next.ok()) {
      blocked_ = {segment_->first(), segment_limit(segments_, index_)};
      return next.status();
    }
    step = next.value();
    if (!step.found || step.head.sequence >= position_) return {};
  }
}

void SpoolReader::pass_over(std::uint64_t to, SpoolRun& run) {
  if (to <= position_) return;
  run.missing += to - position_;
  position_ = to;
}

Status SpoolReader::read(SequenceRange wanted, const SpoolExtent& extent, std::span<char> memory, SpoolRun& run) {
  run = {};
  blocked_ = {};
  run.begin = run.end = wanted.begin;
  const std::uint64_t end = std::min(wanted.end, extent.next);
  if (wanted.begin >= end) return {};
  if (Status listed = list(extent); !listed.ok()) return listed;
  if (position_ != wanted.begin) {
    segment_.reset();
    kept_.reset();
    position_ = wanted.begin;
  }
  std::size_t used = 0;
  while (position_ < end) {
    if (!segment_) {
      if (Status opened = open_segment(end); !opened.ok()) return opened;
    }
    const std::uint64_t limit = index_ < segments_.size() ? std::min(end, segment_limit(segments_, index_)) : end;
    SegmentReader::Step found;
    if (segment_) {
      Status stepped = step(limit, found);
      if (!stepped.ok() && !run.frames.empty()) break;  // these first; the next call fails
      if (!stepped.ok()) return stepped;
    }
    if (found.found && found.head.sequence >= limit) {
      kept_ = found;
      pass_over(limit, run);
      continue;
    }
    if (!found.found) {
      pass_over(limit, run);
      segment_.reset();
      continue;
    }
    pass_over(found.head.sequence, run);
    if (found.frame.size() > memory.size() - used) {
      run.needs = found.frame.size();
      kept_ = found;
      break;
    }
    char* const at = memory.data() + used;
    std::memcpy(at, found.frame.data(), found.frame.size());
    run.frames.emplace_back(at, found.frame.size());
    run.heads.push_back(found.head);
    used += found.frame.size();
    position_ = found.head.sequence + 1;
  }
  run.end = position_;
  return {};
}

}  // namespace logweir
