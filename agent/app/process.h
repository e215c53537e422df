// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

namespace logweir {

// Before anything else is opened: descriptors 0, 1 and 2 that are closed become /dev/null. Else the first files we open
// would take their numbers, and what is meant for stdout would go into them.
void fill_standard_descriptors();

// The soft limit of open files is raised to the hard one: each tailed file and connection is a descriptor. A file-size
// limit is made an error of the write instead of our end.
void widen_limits();

// Goes on as a process of its own, without a terminal; the one that was started ends with 0. Before any thread is made.
Status go_background();

// The machine's, or "localhost".
std::string host_name();

}  // namespace logweir
