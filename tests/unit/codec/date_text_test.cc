// SPDX-License-Identifier: Apache-2.0
#include "codec/date_text.h"

#include <doctest/doctest.h>

#include <string>

namespace logweir {

namespace {

std::string text(DateFormat format, Nanos time) { return std::string(DateText(format).of(time)); }

constexpr Nanos kTime = 1'700'000'000'123'456'789;

}  // namespace

TEST_CASE("each format writes a time its own way") {
  CHECK(text(DateFormat::real, kTime) == "1700000000.123457");
  CHECK(text(DateFormat::iso8601, kTime) == "\"2023-11-14T22:13:20.123456Z\"");
  CHECK(text(DateFormat::rfc3339, kTime) == "\"2023-11-14T22:13:20.123456789Z\"");
  CHECK(text(DateFormat::java_sql_timestamp, kTime) == "\"2023-11-14 22:13:20.123456\"");
  CHECK(text(DateFormat::epoch, kTime) == "1700000000");
  CHECK(text(DateFormat::epoch_ms, kTime) == "1700000000123");
  CHECK(text(DateFormat::epoch_ns, kTime) == "1700000000123456789");
}

TEST_CASE("six digits are rounded, also into the next second") {
  CHECK(text(DateFormat::real, 1'700'000'000'999'999'499) == "1700000000.999999");
  CHECK(text(DateFormat::real, 1'700'000'000'999'999'500) == "1700000001.000000");
}

TEST_CASE("one object follows the time from second to second and back") {
  DateText date(DateFormat::real);
  CHECK(date.of(9'999'999'999'999'000) == "9999999.999999");
  CHECK(date.of(10'000'000'000'000'000) == "10000000.000000");
  CHECK(date.of(10'000'000'000'000'000) == "10000000.000000");
  CHECK(date.of(0) == "0.000000");
  CHECK(date.of(kTime) == "1700000000.123457");
}

TEST_CASE("times before 1970 are negative numbers and early dates") {
  CHECK(text(DateFormat::real, -500'000'000) == "-0.500000");
  CHECK(text(DateFormat::real, -1'500'000'000) == "-1.500000");
  CHECK(text(DateFormat::iso8601, -1) == "\"1969-12-31T23:59:59.999999Z\"");
  CHECK(text(DateFormat::epoch, -1) == "-1");
}

TEST_CASE("the ends of the scale are survived") {
  for (const Nanos time : {INT64_MIN, INT64_MIN + 1, INT64_MAX}) {
    for (int format = 0; format <= static_cast<int>(DateFormat::java_sql_timestamp); ++format) {
      CHECK_FALSE(text(static_cast<DateFormat>(format), time).empty());
    }
    char seconds[40];
    CHECK(write_seconds(seconds, time) - seconds <= 32);
  }
}

TEST_CASE("seconds have nine digits") {
  char out[40];
  CHECK(std::string(out, write_seconds(out, kTime)) == "1700000000.123456789");
  CHECK(std::string(out, write_seconds(out, -1)) == "-0.000000001");
}

TEST_CASE("formats are known by Fluent Bit's words") {
  CHECK(date_format_of("double").value() == DateFormat::real);
  CHECK(date_format_of("epoch_milliseconds").value() == DateFormat::epoch_ms);
  CHECK(date_format_of("epoch_millis").value() == DateFormat::epoch_ms);
  CHECK(date_format_of("java_sql_timestamp").value() == DateFormat::java_sql_timestamp);
  CHECK(date_format_of("tomorrow").status().message().find("rfc3339") != std::string::npos);
}

}  // namespace logweir
