// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include "config/schema.h"

namespace logweir {
namespace {

TEST_CASE("sizes are read in powers of 1024") {
  CHECK(parse_size("512") == 512);
  CHECK(parse_size("32k") == 32768);
  CHECK(parse_size("1.5M") == 1572864);
  CHECK(parse_size("2GB") == std::uint64_t{2} << 30);
  CHECK(parse_size(" 10 MiB ") == 10485760);
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("what is no size is refused") {
  for (const char* text : {"", "k", "-1", "1.k", ".", "1x", "1k k", "18446744073709551616", "99999999999T", "0x10",
                           "1e3", "17179869184G"}) {
    CHECK_MESSAGE(!parse_size(text), text);
  }
}

TEST_CASE("durations are seconds unless a unit is named") {
  CHECK(parse_duration("5") == 5 * kSecond);
  CHECK(parse_duration("0.5") == kSecond / 2);
  CHECK(parse_duration(".25s") == kSecond / 4);
  CHECK(parse_duration("200ms") == 200 * kMillisecond);
  CHECK(parse_duration("1m") == 60 * kSecond);
  CHECK(parse_duration("2h30m") == 9000 * kSecond);
  CHECK(parse_duration("1d 1H") == 90000 * kSecond);
  CHECK(parse_duration("1.000000001") == kSecond + 1);
  CHECK(parse_duration("0") == 0);
}

TEST_CASE("what is no duration is refused") {
  for (const char* text : {"", "s", "-1", "5 5", "1h30", "1y", "1..5", "9223372037", "300000000h", "1s x"}) {
    CHECK_MESSAGE(!parse_duration(text), text);
  }
}

TEST_CASE("the nearest word is near, or there is none") {
  static constexpr std::array<std::string_view, 4> kWords = {"path", "exclude_path", "read_from_head", "net.*"};
  CHECK(nearest("pth", kWords) == "path");
  CHECK(nearest("Paht", kWords) == "path");
  CHECK(nearest("reed_from_head", kWords) == "read_from_head");
  CHECK(nearest("readFromHed", kWords) == "read_from_head");
  CHECK(nearest("colour", kWords).empty());
  CHECK(nearest("net.", kWords).empty());
  CHECK(nearest(std::string(500, 'p'), kWords).empty());
}

}  // namespace
}  // namespace logweir
