// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"

namespace logweir {

// From now on the calling thread, and all that it starts, are refused (EPERM) the system calls that an agent never
// makes and a burglar would: running programs, mounting, tracing, loading code into the kernel, setting clocks, leaving
// name spaces. Needs no_new_privs or root. `unavailable` when the kernel has no filters or this processor is not known
// here; nothing has changed then.
Status refuse_calls();

}  // namespace logweir
