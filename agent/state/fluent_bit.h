// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace logweir {

// Value. How far Fluent Bit had read a file.
struct FluentBitOffset {
  std::string path;
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;  // of the first byte that it had not taken
  std::int64_t created = 0;  // when it first saw the file, seconds
};

// Reads the offsets of Fluent Bit's tail (table in_tail_files) out of its file at `path`, what still lies in its log
// (PATH-wal) included. Nothing of Fluent Bit's is changed: copies are read, in a folder of their own in `scratch`, that
// is removed again. Code::not_found: there is no such file. Blocking.
//
// Both files may hold anything: at most kMostBytes of each and kMostRows rows are taken, rows that can't be are passed
// over.
Result<std::vector<FluentBitOffset>> read_fluent_bit_offsets(const std::string& path, const std::string& scratch);

}  // namespace logweir
