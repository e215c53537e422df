// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/disk.h"
#include "base/status.h"
#include "spool/format.h"
#include "spool/segment_scan.h"
#include "spool/segments.h"
#include "spool/state_record.h"

namespace logweir {

// Value.
struct SpoolOptions {
  std::uint64_t segment_bytes = 8 << 20;
  std::uint64_t max_bytes = 1 << 30;  // of all files; never fewer than two segments
  std::uint64_t min_free = 64 << 20;  // of the file system, left to others
  // Write a new segment full of zeros before its first use: each sync of a small append is cheaper then, as no block is
  // touched for the first time, but data that stays is written twice. For a lane that is synced before it sends.
  bool fill = false;
  // False: what is written counts as stored at once. It survives the end of the process, not that of the machine.
  bool sync = true;
};

// Value. What was there when a spool was opened.
struct SpoolRecovered {
  std::uint64_t frontier = 1;  // the first sequence that may be waiting
  std::uint64_t next = 1;      // behind the last one
  std::uint64_t records = 0;   // waiting; damaged ones may be among them when the damage is not in the newest segment
  std::uint64_t torn = 0;      // frames behind the last good one that a crash cut short
  std::uint64_t missing = 0;   // frames damaged or gone, as far as the first and the newest segment show
};

// Value. How far a spool reaches: what a reader on another thread must know.
struct SpoolExtent {
  std::uint64_t next = 1;    // behind the last stored frame
  std::uint64_t newest = 0;  // first sequence of the newest segment
};

// Resource. The writing end of one spool, in one directory that it locks. One thread at a time, which it blocks; a
// SpoolReader may read on another one meanwhile. Nothing that fails damages what was stored.
class SpoolWriter {
 public:
  // Makes the directory or takes up what is there: reads the state, the first and the newest segment, no more.
  // Code::busy: another process has it; Code::invalid: it holds records for another instance or destination, which is
  // left alone; Code::corrupt: no label is left to read it by. `wall` is now.
  static Result<std::unique_ptr<SpoolWriter>> open(Disk& disk, std::string directory, const SpoolIdentity& identity,
                                                   const SpoolOptions& options, Nanos wall);
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;

  [[nodiscard]] const SpoolRecovered& recovered() const { return recovered_; }
  [[nodiscard]] std::uint64_t mark() const { return label_.mark; }
  [[nodiscard]] std::uint64_t next() const { return next_; }      // what the next frame must have as its sequence
  [[nodiscard]] std::uint64_t synced() const { return synced_; }  // all below are stored
  [[nodiscard]] SpoolExtent stored() const { return {synced_, segments_.empty() ? 0 : segments_.back().first}; }
  [[nodiscard]] std::uint64_t frontier() const { return label_.b; }  // all below are done with
  [[nodiscard]] std::uint64_t bytes() const;                         // of all segment files

  // Writes whole frames (encode_frame), in sequence from `next` on, together one write. They are stored once `sync`
  // succeeds. Code::full: a limit or the disk is at its end. After any failure of this or of `sync` the frames from
  // `next` on, which may have gone back to `synced`, are the caller's again: stamp them anew in that sequence.
  Status append(std::span<const std::string_view> frames, Nanos wall);
  // Makes all that was appended survive a power cut.
  Status sync();
  // Frames below `frontier` are done with: says so on disk and deletes the segments that hold no others. A failure
  // costs only space and repetitions.
  Status trim(std::uint64_t frontier, Nanos wall);
  // When nothing waits: gives all space back but for the state. Otherwise changes nothing.
  Status rest(Nanos wall);

 private:
  SpoolWriter(Disk& disk, std::string directory, const SpoolOptions& options);

  Status take_up(const SpoolIdentity& identity, Nanos wall);
  Status find_label(const std::optional<SpoolLabel>& state, const SpoolIdentity& identity, Nanos wall);
  Status find_ends();
  Status count_records(const SegmentScan& first, const SegmentScan& newest);
  void cut(const Segment& segment, std::uint64_t size);

  Status roll(std::uint64_t need, Nanos wall);
  Status check_space(std::uint64_t more);
  Result<std::unique_ptr<DiskFile>> make_segment(std::uint64_t size, Nanos wall);
  Result<std::unique_ptr<DiskFile>> segment_file(const std::string& path, std::uint64_t size);
  Status fill(DiskFile& file, std::uint64_t size);
  Status write_state(Nanos wall);
  Status remove_below(std::uint64_t frontier, bool may_reuse);
  Status put_away(const Segment& segment, bool may_reuse);
  [[nodiscard]] std::string path(const char* name) const { return directory_ + "/" + name; }

  Disk& disk_;
  const std::string directory_;
  const SpoolOptions options_;
  std::unique_ptr<DiskFile> lock_;
  SpoolLabel label_;  // of the state, as it was last wanted
  StateRecord state_;
  bool state_is_old_ = false;  // the last write of it failed
  SpoolRecovered recovered_;

  std::vector<Segment> segments_;  // the last one is being written, if there is a `file_`
  std::uint64_t spare_bytes_ = 0;  // of the file that waits to be used again; 0: none
  std::uint64_t clean_from_ = 0;   // segments from this one on were made and filled by us without a failure
  std::unique_ptr<DiskFile> file_;
  std::uint64_t offset_ = 0;  // in it: where the next frame goes
  bool broken_ = false;       // a write or sync of `file_` failed: nobody knows what it holds behind `offset_`
  std::uint64_t next_ = 1;
  std::uint64_t synced_ = 1;
  std::uint64_t records_ = 0;         // in the spool's life, of all frames below `next_`
  std::uint64_t synced_records_ = 0;  // and below `synced_`
};

}  // namespace logweir
