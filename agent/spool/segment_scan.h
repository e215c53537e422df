// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "spool/segment_reader.h"
#include "spool/segments.h"

namespace logweir {

// Value. What a look through all of one segment found.
struct SegmentScan {
  bool labelled = false;
  std::uint64_t records_before = 0;  // as the label says
  std::uint64_t frames = 0;
  std::uint64_t records = 0;
  std::uint64_t records_below = 0;  // the frontier
  std::uint64_t next = 0;           // behind its last frame
  std::uint64_t end = 0;            // of that, in the file
  std::uint64_t missing = 0;        // frames damaged or gone
  std::uint64_t torn = 0;           // frames behind the last good one whose writing did not end
  Nanos oldest = 0;                 // wall clock of the first frame that waits; 0: none
};

// Of segments[index], for a frontier. Any thread.
Result<SegmentScan> scan_segment(Disk& disk, const std::string& directory, std::uint64_t mark,
                                 const std::vector<Segment>& segments, std::size_t index, std::uint64_t frontier);

// The label of any segment, from the newest on; nothing when all are damaged.
Result<std::optional<SpoolLabel>> any_label(Disk& disk, const std::string& directory,
                                            const std::vector<Segment>& segments);

// Told of each frame, and of each segment's end (step.found is false; `missing` then counts to the next segment). False
// ends the walk.
using SpoolVisitor = std::function<bool(const Segment& segment, const SegmentReader::Step& step)>;

// Goes through all frames from sequence `from` on. A segment that was deleted meanwhile is passed over. Any thread.
Status walk_spool(Disk& disk, const std::string& directory, std::uint64_t mark, std::uint64_t from,
                  const SpoolVisitor& visit);

}  // namespace logweir
