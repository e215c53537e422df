// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/kernel.h"

namespace logweir {

// Value. A member of a validated JSON object, by pointers into its text.
struct JsonMember {
  const char* key = nullptr;  // its opening quote
  const char* value = nullptr;
  const char* end = nullptr;  // behind the value
  [[nodiscard]] std::string_view text() const { return {value, static_cast<std::size_t>(end - value)}; }
};

// Resource. What one pass over a text finds out, and the memory it needs for that. `Kernel::scan_object` says whether
// the text is one JSON object (RFC 8259; raw controls in strings, bad escapes, bad numbers and all that stands behind
// it but blanks are refused), of at most kMaxDepth levels. More than simdjson's DOM takes, it takes numbers of any
// size, ill-formed UTF-8 in strings and lone surrogates: the last two are reported, to be repaired before the text is
// used.
struct JsonScan {
  static constexpr std::uint32_t kMaxDepth = 1024;
  static constexpr std::uint32_t kMaxKeys = 1U << 16;

  // asked
  std::string_view wanted;        // note the member of this name at top level; empty: none
  std::uint64_t wanted_hash = 0;  // hash_key of it

  // found
  std::uint64_t keys = 0;            // key_bits of all top-level keys
  const char* wanted_key = nullptr;  // the opening quote of its last occurrence
  bool damaged = false;              // ill-formed UTF-8, a lone surrogate, or a raw line break between tokens
  bool repeated = false;             // two keys of one object may be equal

  // memory: a hash table of the keys seen in this text, each mixed with the number of the object it stands in. A slot
  // is taken when its low bits are the text's number; so none has to be cleared in between.
  static constexpr std::uint32_t kSlots = 512;
  static constexpr std::uint64_t kTextMask = 0xFFFF;
  std::uint64_t text = 0;
  std::uint64_t slots[kSlots] = {};
  std::uint32_t objects[kMaxDepth] = {};  // of each open container: 0 for an array, else the object's number
};

// The value of one JSON string, unescaped into `out` (appended); `inside` is without its quotes and valid. Lone
// surrogates become U+FFFD.
void unescape_json(std::string_view inside, std::string& out);
// Whether the inside of a JSON string means `raw`.
bool json_equals(std::string_view inside, std::string_view raw);
// hash_key of what the inside of a JSON string with escapes means.
std::uint64_t hash_escaped_key(std::string_view inside);

}  // namespace logweir
