// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "base/status.h"

namespace logweir {

// Locks a state directory for this process by its file `lock`, which holds our pid for people to read; the lock goes
// with the descriptor. Code::busy when another agent has it: the sentence names the directory and that agent's pid.
Result<Fd> lock_directory(const std::string& directory);

// Whether the lock file is still the one that `lock` holds.
bool lock_stands(const Fd& lock, const std::string& directory);

// Renames a damaged file and its log to <path>.damaged-N and gives that name; of earlier ones the newest few stay.
Result<std::string> move_aside(const std::string& path);

}  // namespace logweir
