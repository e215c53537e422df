// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace logweir {

// Value. How JSON text writes one byte that it must escape.
struct EscapeText {
  char bytes[7] = {};
  unsigned char size = 0;
};

struct EscapeTable {
  std::array<EscapeText, 128> of;
};

constexpr EscapeTable make_escape_table() {
  constexpr std::string_view kShort = "\"\"\\\\\bb\ff\nn\rr\tt";  // the byte, then its letter
  constexpr char kHex[] = "0123456789abcdef";
  EscapeTable table;
  for (unsigned c = 0; c < 128; ++c) {
    table.of[c] = {{'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]}, 6};
  }
  for (std::size_t i = 0; i < kShort.size(); i += 2) {
    table.of[static_cast<unsigned char>(kShort[i])] = {{'\\', kShort[i + 1]}, 2};
  }
  return table;
}

inline constexpr EscapeTable kEscapes = make_escape_table();

}  // namespace logweir
