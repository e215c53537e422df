// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "spool/segment_reader.h"
#include "spool/segments.h"
#include "spool/writer.h"

namespace logweir {

// Value. Sequences [begin, end).
struct SequenceRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Value. What one read gave. All sequences in [begin, end) that no frame of it has are damaged or gone.
struct SpoolRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t missing = 0;             // how many of them
  std::vector<std::string_view> frames;  // in the memory given; decode_frame takes them
  std::vector<FrameHead> heads;          // of each
  std::size_t needs = 0;                 // not 0: the frame at `end` is larger than what was left, and needs that much
};

// Resource. The reading end of a spool, with descriptors of its own. One thread at a time, which it blocks; another one
// than the writer's if need be. Reads go forward cheaply; a jump costs a look through a segment.
class SpoolReader {
 public:
  SpoolReader(Disk& disk, std::string directory, std::uint64_t mark)
      : disk_(disk), directory_(std::move(directory)), mark_(mark) {}

  // Frames from `from` on, below `to` and `extent.next` (SpoolWriter::stored), as many as fit into `memory`. A failure
  // is the disk's and gives no frames; the same call may be tried again, or go on behind `blocked`.
  Status read(SequenceRange wanted, const SpoolExtent& extent, std::span<char> memory, SpoolRun& run);
  // The segment that the last failure was in. Who gives it up reads on from its end, and counts it as missing.
  [[nodiscard]] SequenceRange blocked() const { return blocked_; }

  // What waits in [from, extent.next), cut where segments begin: read from the back, that is newest first.
  Result<std::vector<SequenceRange>> ranges(std::uint64_t from, const SpoolExtent& extent);

 private:
  Status list(const SpoolExtent& extent);
  Status open_segment(std::uint64_t limit);
  Status step(std::uint64_t limit, SegmentReader::Step& step);
  void pass_over(std::uint64_t to, SpoolRun& run);

  Disk& disk_;
  const std::string directory_;
  const std::uint64_t mark_;
  std::vector<Segment> segments_;
  std::optional<SegmentReader> segment_;
  std::size_t index_ = 0;                    // of it
  std::uint64_t position_ = 0;               // the next sequence to be given
  std::optional<SegmentReader::Step> kept_;  // found, but did not fit
  SequenceRange blocked_;
};

}  // namespace logweir
