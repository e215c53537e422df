// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace logweir {

struct JsonScan;
struct JsonMember;

// Value, constant data. The vector code of this room, one table per CPU family. Text may lie anywhere; JSON must lie in
// a chunk (or have kChunkPadding readable bytes behind it).
struct Kernel {
  const char* (*find_byte)(const char* from, const char* to, char byte);
  char* (*write_text)(char* out, const char* from, const char* to, std::uint64_t& repaired);
  std::size_t (*measure_text)(const char* from, const char* to);
  // See json_scan.h.
  bool (*scan_object)(const char* from, const char* to, JsonScan& scan);
  // Of a validated object: its member `key` (raw bytes), the first of that name.
  bool (*find_member)(const char* object, std::string_view key, JsonMember& found);
  // Of valid JSON: the end of the value that begins at `value`.
  const char* (*skip_value)(const char* value);
};

extern const Kernel kSse2Kernel;
extern const Kernel kAvx2Kernel;

// The best one for this machine, picked at its first use.
const Kernel& kernel();

}  // namespace logweir
