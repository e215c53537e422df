// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/disk.h"
#include "base/status.h"
#include "spool/format.h"
#include "spool/reader.h"

namespace logweir {

// Looking into a spool from outside: changes nothing, takes no lock, may be used while its writer works (what is seen
// then is a little old, and the newest frame may look torn). `directory` is that of one shard. Any thread.

// Value. What `logweir spool list` shows of one spool.
struct SpoolInfo {
  std::string instance;  // at most 216 bytes of it
  std::string fingerprint;
  std::uint64_t mark = 0;
  std::uint64_t frontier = 1;
  std::uint64_t next = 1;
  std::uint64_t segments = 0;
  std::uint64_t bytes = 0;    // of the segments' files
  std::uint64_t frames = 0;   // waiting, damaged ones among them
  std::uint64_t records = 0;  // waiting; 0 also when the labels that tell are damaged (verify counts them)
  Nanos oldest = 0;           // wall clock of the first frame that waits; 0: none
};
// From the state and the first and newest segment. Code::not_found: no spool; Code::corrupt: nothing to read it by;
// Code::invalid: a newer format. So of verify_spool and cat_spool.
Result<SpoolInfo> inspect_spool(Disk& disk, const std::string& directory);

// Value. A damaged place. `frames` of 0: only the label, which costs nothing but time.
struct SpoolDamage {
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;   // passed over; 0 when the segment ends there
  std::uint64_t frames = 0;  // that are lost by it
};
// Value. What verify counted, of all that is in the files from the frontier on.
struct SpoolCheck {
  std::uint64_t segments = 0;
  std::uint64_t frames = 0;
  std::uint64_t records = 0;
  std::uint64_t damaged_places = 0;
  std::uint64_t lost_frames = 0;
};
// Reads all of it and tells of each damaged place.
Result<SpoolCheck> verify_spool(Disk& disk, const std::string& directory,
                                const std::function<void(const SpoolDamage&)>& damaged);

// The frames that wait, one after the other; false from `each` ends it. The bytes are valid during the call.
Status cat_spool(Disk& disk, const std::string& directory,
                 const std::function<bool(const FrameHead& head, std::string_view frame)>& each);

// Value. The frames at the front of a spool that are older than an age limit.
struct SpoolExpired {
  SequenceRange range;
  std::uint64_t frames = 0;
  std::uint64_t records = 0;
};
// Those from `from` on, before `end`, that were made before `older_than`, up to the first that was not.
Result<SpoolExpired> expired_frames(Disk& disk, const std::string& directory, std::uint64_t mark, SequenceRange within,
                                    Nanos older_than);

}  // namespace logweir
