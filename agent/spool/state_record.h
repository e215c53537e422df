// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/status.h"
#include "spool/format.h"

namespace logweir {

// The newer of the two slots in the bytes of a state file; nothing when neither is good.
std::optional<SpoolLabel> read_state(std::string_view bytes);
// The same of a spool's directory; nothing also when there is no such file.
Result<std::optional<SpoolLabel>> read_state(Disk& disk, const std::string& directory);

// Resource. The state file of a spool, written in turns to one slot and the other, so that whatever happens to the one
// being written the other stands. One thread.
class StateRecord {
 public:
  // Opens the file, made when missing; its slots are as `state` (from read_state) left them. The caller writes then.
  Status open(Disk& disk, const std::string& directory, const std::optional<SpoolLabel>& state);
  // Writes and syncs a label, whose number `a` this sets. After a failure the next attempt goes to the same slot.
  Status write(SpoolLabel& label);

 private:
  std::unique_ptr<DiskFile> file_;
  std::uint64_t number_ = 0;  // of the last write that succeeded; its parity is its slot
};

}  // namespace logweir
