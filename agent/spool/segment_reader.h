// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "spool/format.h"

namespace logweir {

// Resource. Reads the frames of one segment from the front and finds its way behind damaged places. One thread; may be
// used while a writer appends behind the limit.
class SegmentReader {
 public:
  // Value. What a step came upon.
  struct Step {
    bool found = false;  // a frame; else the end of the segment
    FrameHead head;
    std::string_view frame;     // all of it, head included; valid until the next call
    std::uint64_t offset = 0;   // of the frame; at the end: where the last one ended
    std::uint64_t missing = 0;  // frames in front of this that are damaged or gone
    std::uint64_t skipped = 0;  // bytes passed over in front of a frame
    std::uint64_t torn = 0;     // good heads of frames below the limit whose payload is damaged, passed over
  };

  // The frames from `first` on, the sequence that the segment's name says.
  SegmentReader(std::unique_ptr<DiskFile> file, std::uint64_t mark, std::uint64_t first)
      : file_(std::move(file)), mark_(mark), expected_(first), first_(first) {}

  // The next frame below `limit`, the first sequence of the next segment or the end of what may be read. A failure is
  // the disk's; the same call may be tried again.
  Result<Step> next(std::uint64_t limit);
  // The sequence a next frame has if nothing is damaged.
  [[nodiscard]] std::uint64_t expected() const { return expected_; }
  [[nodiscard]] std::uint64_t first() const { return first_; }
  // Memory this keeps for reading.
  [[nodiscard]] std::size_t window() const { return window_.size(); }

 private:
  static constexpr std::size_t kWindow = 1 << 20;
  static constexpr std::size_t kSmallWindow = 64 << 10;

  Status load_at(std::uint64_t offset, std::size_t size);
  [[nodiscard]] std::string_view at(std::uint64_t offset) const;
  Result<bool> try_frame(std::uint64_t offset, std::uint64_t limit, Step& step);
  void forget_window();
  Status search(std::uint64_t& offset);

  std::unique_ptr<DiskFile> file_;
  const std::uint64_t mark_;
  std::uint64_t expected_;
  const std::uint64_t first_;
  std::uint64_t offset_ = kSegmentStart;
  std::vector<char> window_;
  std::uint64_t window_at_ = 0;
  std::size_t window_size_ = 0;
  bool file_ended_ = false;  // the window holds the file's last byte
  std::uint64_t limit_ = 0;  // of the last call
  bool may_be_old_ = false;  // the window may be from before the limit grew
};

}  // namespace logweir
