// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"

namespace logweir {

// Makes a directory and its missing parents, each with `mode` (less the umask). One that stands already is left as it
// is; something else in its place is a failure. The failure names the part that could not be made.
Status make_directories(const std::string& path, mode_t mode);

// The whole file; `full` when it holds more than `max_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

// Names in a directory, without "." and "..", in no order.
Result<std::vector<std::string>> list_directory(const std::string& path);

// Renames within one directory and makes that survive a power cut; an existing `to` is replaced in one step.
Status rename_durably(const std::string& from, const std::string& to);

// Makes the names in a directory survive a power cut.
Status sync_directory(const std::string& path);

// "/a" for "/a/b", "." for "b", "/" for "/a".
std::string directory_of(const std::string& path);

}  // namespace logweir
