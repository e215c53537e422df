// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace logweir {

// CRC-32C (Castagnoli) of `bytes`, continued from `crc` (0 to begin), by the processor's instruction where it has one.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc = 0);

// The two ways to the same number; `crc32c_hardware` only where `has_crc32c_hardware`.
[[nodiscard]] bool has_crc32c_hardware();
std::uint32_t crc32c_hardware(std::string_view bytes, std::uint32_t crc = 0);
std::uint32_t crc32c_table(std::string_view bytes, std::uint32_t crc = 0);

}  // namespace logweir
