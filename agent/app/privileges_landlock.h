// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/plan.h"
#include "base/status.h"

namespace logweir {

// Value. What a process may do with files: read below `read`; read, write, make, rename and delete below `write`.
struct FileFences {
  std::vector<std::string> read;
  std::vector<std::string> write;
};

// What the agent of this plan needs: its inputs' paths, its outputs', its own directories and log, and what
// service.landlock_read and landlock_write add.
FileFences fences_of(const Plan& plan);

// Shuts the calling thread, and all that it starts later, inside the fences, for good (landlock). The system's own
// files (/etc, /usr, /proc ...) stay readable. For a path that is not there its nearest parent is opened, unless that
// is the root. `unavailable` when the kernel has no landlock; nothing has changed then.
Status close_fences(const FileFences& fences);

}  // namespace logweir
