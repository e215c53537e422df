// SPDX-License-Identifier: Apache-2.0
#include "spool/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace logweir {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // bits reversed

using Table = std::array<std::uint32_t, 256>;

// tables[n][b]: the remainder of byte b followed by n zero bytes.
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t n = 1; n < 8; ++n) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[n - 1][byte];
      tables[n][byte] = (crc >> 8) ^ tables[0][crc & 255];
    }
  }
  return tables;
}

constexpr std::array<Table, 8> kTables = make_tables();

// For each byte of a remainder, what it becomes when `zeros` zero bytes follow: the way to put together remainders of
// neighbouring blocks that were computed apart.
constexpr std::array<Table, 4> make_shift(std::size_t zeros) {
  std::array<Table, 4> shift{};
  // The map is linear over bits, so 32 single-bit results make all of it.
  std::array<std::uint32_t, 32> bits{};
  for (std::size_t bit = 0; bit < 32; ++bit) {
    std::uint32_t crc = 1U << bit;
    for (std::size_t i = 0; i < zeros; ++i) crc = (crc >> 8) ^ kTables[0][crc & 255];
    bits[bit] = crc;
  }
  for (std::size_t part = 0; part < 4; ++part) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      for (std::size_t bit = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1) != 0) shift[part][byte] ^= bits[part * 8 + bit];
      }
    }
  }
  return shift;
}

std::uint64_t load8(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}

#if defined(__x86_64__)

// The instruction takes 3 cycles but one can begin each cycle: three blocks side by side keep it busy.
constexpr std::size_t kBlock = 1024;
constexpr std::array<Table, 4> kShift = make_shift(kBlock);

std::uint32_t shifted(std::uint32_t crc) {
  return kShift[0][crc & 255] ^ kShift[1][crc >> 8 & 255] ^ kShift[2][crc >> 16 & 255] ^ kShift[3][crc >> 24];
}

__attribute__((target("sse4.2"))) std::uint32_t run_hardware(std::string_view bytes, std::uint32_t crc) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t a = ~crc;
  for (; static_cast<std::size_t>(end - at) >= 3 * kBlock; at += 3 * kBlock) {
    std::uint64_t b = 0;
    std::uint64_t c = 0;
    for (std::size_t i = 0; i < kBlock; i += 8) {
      a = _mm_crc32_u64(a, load8(at + i));
      b = _mm_crc32_u64(b, load8(at + kBlock + i));
      c = _mm_crc32_u64(c, load8(at + 2 * kBlock + i));
    }
    b ^= shifted(static_cast<std::uint32_t>(a));
    a = c ^ shifted(static_cast<std::uint32_t>(b));
  }
  for (; end - at >= 8; at += 8) a = _mm_crc32_u64(a, load8(at));
  auto last = static_cast<std::uint32_t>(a);
  for (; at != end; ++at) last = _mm_crc32_u8(last, static_cast<unsigned char>(*at));
  return ~last;
}

bool find_hardware() { return __builtin_cpu_supports("sse4.2") != 0; }

#else

std::uint32_t run_hardware(std::string_view bytes, std::uint32_t crc) { return crc32c_table(bytes, crc); }

bool find_hardware() { return false; }

#endif

}  // namespace

std::uint32_t crc32c_table(std::string_view bytes, std::uint32_t crc) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  crc = ~crc;
  for (; end - at >= 8; at += 8) {
    const std::uint64_t word = load8(at) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][word >> (8 * i) & 255];
  }
  for (; at != end; ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 255];
  return ~crc;
}

std::uint32_t crc32c_hardware(std::string_view bytes, std::uint32_t crc) { return run_hardware(bytes, crc); }

bool has_crc32c_hardware() {
  static const bool has = find_hardware();
  return has;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc) {
  return has_crc32c_hardware() ? run_hardware(bytes, crc) : crc32c_table(bytes, crc);
}

}  // namespace logweir
