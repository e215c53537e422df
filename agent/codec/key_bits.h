// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace logweir {

// A key's hash, and the two bits by which Record::keys remembers that it may stand in a JSON body.
inline std::uint64_t mix_bits(std::uint64_t x) {
  x *= 0x9E3779B97F4A7C15ULL;
  return x ^ x >> 29;
}

inline std::uint64_t hash_key(std::string_view key) {
  std::uint64_t hash = key.size();
  while (key.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, key.data(), 8);
    hash = mix_bits(hash ^ word);
    key.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  if (key.size() >= 4) {
    std::uint32_t low;
    std::uint32_t high;
    std::memcpy(&low, key.data(), 4);
    std::memcpy(&high, key.data() + key.size() - 4, 4);
    rest = low | static_cast<std::uint64_t>(high) << 32;
  } else if (!key.empty()) {
    const auto at = [key](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(key[i])); };
    rest = at(0) | at(key.size() / 2) << 8 | at(key.size() - 1) << 16;
  }
  return mix_bits(mix_bits(hash ^ rest));
}

constexpr std::uint64_t key_bits(std::uint64_t hash) { return 1ULL << (hash >> 58) | 1ULL << (hash >> 52 & 63); }

}  // namespace logweir
