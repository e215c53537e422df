// SPDX-License-Identifier: Apache-2.0
#include "spool/crc32c.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace logweir {

TEST_CASE("crc32c gives the values of RFC 3720") {
  std::string ascending(32, '\0');
  for (int i = 0; i < 32; ++i) ascending[static_cast<std::size_t>(i)] = static_cast<char>(i);
  const std::string descending(ascending.rbegin(), ascending.rend());
  for (const auto way : {crc32c_table, crc32c_hardware, crc32c}) {
    CHECK(way(std::string(32, '\0'), 0) == 0x8a9136aaU);
    CHECK(way(std::string(32, '\xff'), 0) == 0x62a8ab43U);
    CHECK(way(ascending, 0) == 0x46dd794eU);
    CHECK(way(descending, 0) == 0x113fdb5cU);
    CHECK(way("123456789", 0) == 0xe3069283U);
    CHECK(way("", 0) == 0U);
  }
}

TEST_CASE("crc32c is the same by instruction, by table and in parts") {
  std::mt19937 random(1);
  std::string bytes(20000, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (int round = 0; round < 400; ++round) {
    const std::size_t from = random() % 100;
    const std::size_t size = random() % (round % 2 == 0 ? 300 : bytes.size() - from);
    const std::string_view part = std::string_view(bytes).substr(from, size);
    const std::size_t cut = size == 0 ? 0 : random() % size;
    const std::uint32_t whole = crc32c_table(part);
    CHECK(crc32c_hardware(part) == whole);
    CHECK(crc32c(part.substr(cut), crc32c(part.substr(0, cut))) == whole);
  }
}

}  // namespace logweir
