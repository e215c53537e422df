// SPDX-License-Identifier: Apache-2.0
#include "spool/segment_reader.h"

#include <algorithm>
#include <utility>

namespace logweir {

// Brings at least `size` bytes from `offset` into the window, fewer only at the end of the file.
Status SegmentReader::load_at(std::uint64_t offset, std::size_t size) {
  const std::uint64_t end = window_at_ + window_size_;
  if (offset >= window_at_ && offset + size <= end) return {};
  if (file_ended_ && offset >= window_at_ && offset <= end) return {};
  // The first look is small: a short segment, or a reader that follows its writer closely, needs no more.
  const bool was_full = !window_.empty() && window_size_ == window_.size();
  const std::size_t want = std::max(size, was_full ? kWindow : kSmallWindow);
  if (window_.size() < want || window_.size() > std::max(kWindow, 2 * want)) {
    std::vector<char>(want).swap(window_);
  }
  window_size_ = 0;
  auto got = file_->read(window_.data(), window_.size(), offset);
  if (!got.ok()) return got.status();
  window_at_ = offset;
  window_size_ = got.value();
  file_ended_ = window_size_ < window_.size();
  return {};
}

std::string_view SegmentReader::at(std::uint64_t offset) const {
  if (offset < window_at_ || offset >= window_at_ + window_size_) return {};
  const auto from = static_cast<std::size_t>(offset - window_at_);
  return {window_.data() + from, window_size_ - from};
}

void SegmentReader::forget_window() {
  window_size_ = 0;
  file_ended_ = false;
}

// Whether a good frame stands at `offset`. It may be behind the expected one, never before it: that would be what was
// in a file before it became this segment.
Result<bool> SegmentReader::try_frame(std::uint64_t offset, std::uint64_t limit, Step& step) {
  if (Status loaded = load_at(offset, kFrameHead); !loaded.ok()) return loaded;
  const auto head = read_head(at(offset), mark_);
  if (!head || head->sequence < expected_ || head->sequence >= limit) return false;
  const auto size = static_cast<std::size_t>(head->frame_size());
  if (Status loaded = load_at(offset, size); !loaded.ok()) return loaded;
  const std::string_view bytes = at(offset);
  if (bytes.size() < size || !payload_holds(*head, bytes)) {
    ++step.torn;
    return false;
  }
  step.found = true;
  step.head = *head;
  step.frame = bytes.substr(0, size);
  step.offset = offset;
  return true;
}

// Moves `offset` to the next place where the mark stands, or to the end of the file.
Status SegmentReader::search(std::uint64_t& offset) {
  while (true) {
    if (Status loaded = load_at(offset, kFrameHead); !loaded.ok()) return loaded;
    const std::string_view bytes = at(offset);
    std::size_t i = 0;
    for (; i + kFrameHead <= bytes.size(); i += 8) {
      if (load<std::uint64_t>(bytes.data() + i) == mark_) {
        offset += i;
        return {};
      }
    }
    offset += i;
    if (file_ended_) {
      offset = std::max(offset, window_at_ + window_size_);
      return {};
    }
  }
}

Result<SegmentReader::Step> SegmentReader::next(std::uint64_t limit) {
  Step step;
  step.offset = offset_;
  if (expected_ >= limit) return step;
  if (std::exchange(limit_, limit) != limit && window_size_ > 0) may_be_old_ = true;
  std::uint64_t at_offset = offset_;
  while (true) {
    auto found = try_frame(at_offset, limit, step);
    if (!found.ok()) return found.status();
    if (found.value()) break;
    if (std::exchange(may_be_old_, false)) {
      step.torn = 0;
      forget_window();
      continue;
    }
    at_offset += 8;
    if (Status searched = search(at_offset); !searched.ok()) return searched;
    if (file_ended_ && at_offset >= window_at_ + window_size_) {
      return step;
    }
  }
  step.skipped = step.offset - offset_;
  step.missing = step.head.sequence - expected_;
  expected_ = step.head.sequence + 1;
  offset_ = step.offset + step.frame.size();
  return step;
}

}  // namespace logweir
