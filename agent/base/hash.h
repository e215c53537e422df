// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace logweir {

constexpr std::uint64_t kHashSeed = 0xcbf29ce484222325;

// FNV-1a, 64 bits: stable over versions and machines, for ids that outlive the process. Not for hostile keys of a hash
// table. To hash parts in a row, give the last result as the next seed.
constexpr std::uint64_t hash64(std::string_view text, std::uint64_t seed = kHashSeed) {
  for (const char c : text) {
    seed ^= static_cast<unsigned char>(c);
    seed *= 0x100000001b3;
  }
  return seed;
}

}  // namespace logweir
