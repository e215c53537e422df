// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <string>

namespace logweir::tail {

std::string working_directory();  // "/" when it can't be told

// Calls `take` with each entry of a directory; with none when it can't be read.
template <typename Take>
void each_entry(const std::string& directory, Take take) {
  DIR* open = opendir(directory.c_str());
  if (open == nullptr) return;
  while (const dirent* entry = readdir(open)) take(*entry);
  closedir(open);
}

}  // namespace logweir::tail
