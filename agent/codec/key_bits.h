// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

namespace logweir {

// A key's hash, and the three bits by which Record::keys remembers that it may stand in a JSON body.

namespace key_detail {

inline std::uint64_t load8(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}

// Both halves of a 128-bit product: each bit of the input moves many of the result.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0xA0761D6478BD642FULL) * (b ^ 0xE7037ED1A0B428DBULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Sixteen bytes to keep, then sixteen to drop.
alignas(32) inline constexpr unsigned char kMask[32] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                                        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

}  // namespace key_detail

// Of `size` bytes with at least 16 readable ones at `key`, and behind each 16 of a longer one. No branch depends on the
// length of a short key.
inline std::uint64_t hash_padded_key(const char* key, std::size_t size) {
  std::uint64_t hash = size;
  while (size > 16) {
    hash = key_detail::fold(key_detail::load8(key) ^ hash, key_detail::load8(key + 8));
    key += 16;
    size -= 16;
  }
  const char* const mask = reinterpret_cast<const char*>(key_detail::kMask) + 16 - size;
  const std::uint64_t low = key_detail::load8(key) & key_detail::load8(mask);
  const std::uint64_t high = key_detail::load8(key + 8) & key_detail::load8(mask + 8);
  return key_detail::fold(low ^ hash, high);
}

// The same of a text that lies anywhere.
inline std::uint64_t hash_key(std::string_view key) {
  std::uint64_t hash = key.size();
  char part[16] = {};
  while (key.size() > sizeof part) {
    std::copy_n(key.begin(), sizeof part, part);
    hash = key_detail::fold(key_detail::load8(part) ^ hash, key_detail::load8(part + 8));
    key.remove_prefix(sizeof part);
  }
  std::fill(std::copy(key.begin(), key.end(), part), std::end(part), '\0');
  return key_detail::fold(key_detail::load8(part) ^ hash, key_detail::load8(part + 8));
}

constexpr std::uint64_t key_bits(std::uint64_t hash) {
  return 1ULL << (hash >> 58) | 1ULL << (hash >> 52 & 63) | 1ULL << (hash >> 46 & 63);
}

}  // namespace logweir
