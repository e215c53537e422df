// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace logweir {

// Value. The bytes at one place of a text: a well-formed UTF-8 sequence, or a maximal ill-formed part (Unicode 15,
// section 3.9), which is what one U+FFFD stands for.
struct Utf8Part {
  std::size_t size;
  bool good;
};

// U+FFFD in UTF-8.
constexpr char kReplacement[] = "\xEF\xBF\xBD";
constexpr std::size_t kReplacementSize = 3;

// What stands at `at` (< end), byte by byte.
constexpr Utf8Part utf8_part(const char* at, const char* end) {
  const auto lead = static_cast<unsigned char>(*at);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::size_t want = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // Only the second byte has bounds of its own: no overlong forms, no surrogates, nothing above U+10FFFF.
  unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < want; ++i) {
    if (at + i == end) return {i, false};
    const auto next = static_cast<unsigned char>(at[i]);
    if (next < low || next > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {want, true};
}

}  // namespace logweir
