// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace logweir {

// JSON text (RFC 8259) out of raw bytes. All `out` pointers have room for the bound and spare bytes behind
// it (`kJsonSlack`), since vector stores may overshoot.
constexpr std::size_t kJsonSlack = 64;
// Largest size of `bytes` as the inside of a JSON string: every byte as \u00XX (or U+FFFD, 3 bytes).
constexpr std::size_t json_bound(std::size_t bytes) { return 6 * bytes; }

// Writes the inside of a JSON string (no quotes): escapes `"`, `\` and controls; bytes that are not UTF-8 become
// U+FFFD, one per maximal ill-formed part (Unicode 15, section 3.9), and are counted in `repaired`. Returns the end.
char* write_json_text(char* out, std::string_view bytes, std::uint64_t& repaired);
// Exactly how long that will be.
std::size_t measure_json_text(std::string_view bytes);

}  // namespace logweir
