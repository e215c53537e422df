// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace logweir {

// Value. A text file as read, without a byte order mark.
struct TextFile {
  std::string text;
  std::pair<std::uint64_t, std::uint64_t> identity;  // device and inode
};
// Reads at most kMostConfBytes; a larger file is refused.
Result<TextFile> read_text_file(const std::string& path);

bool is_pattern(const std::string& path);  // has *, ? or [
std::string folder_of(const std::string& path);
// What `path` names, looked for in each folder in turn unless it is absolute: the files of a pattern, in order, or the
// one file. Nothing when there is none.
std::vector<std::string> locate(const std::string& path, const std::vector<std::string>& folders);

}  // namespace logweir
