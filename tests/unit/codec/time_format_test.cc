// SPDX-License-Identifier: Apache-2.0
#include "codec/time_format.h"

#include <doctest/doctest.h>

#include <string>

#include "codec/date_text.h"

namespace logweir {

namespace {

constexpr Nanos kNow = 1'773'000'000 * kSecond;  // 2026-03-08T20:00:00Z

std::string read(std::string_view format, std::string_view text, const TimeFormat::Options& options = {},
                 Nanos now = kNow) {
  const auto time = TimeFormat::compile(format, options).value().parse(text, now);
  if (!time) return "none";
  DateText date(DateFormat::rfc3339);
  const std::string_view shown = date.of(*time);
  return std::string(shown.substr(1, shown.size() - 2));
}

struct Case {
  std::string_view format;
  std::string_view text;
  std::string_view expected;
  std::string_view offset = {};
};

void check_all(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    CAPTURE(c.format);
    CAPTURE(c.text);
    CHECK(read(c.format, c.text, {std::string(c.offset), true}) == c.expected);
  }
}

}  // namespace

TEST_CASE("full dates are read in the ways loggers write them") {
  check_all({
      {"%m/%d/%Y %H:%M:%S %z", "07/17/2017 20:17:03 +0000", "2017-07-17T20:17:03.000000000Z"},
      {"%m/%d/%Y %H:%M:%S %z", "07/18/2017 01:47:03 +05:30", "2017-07-17T20:17:03.000000000Z"},
      {"%m/%d/%Y %H:%M:%S.%L %z", "07/17/2017 22:17:03.1 +02:00", "2017-07-17T20:17:03.100000000Z"},
      {"%Y-%m-%d %H:%M:%S,%L", "2026-03-05 04:06:07,089", "2026-03-05T04:06:07.089000000Z"},
      {"%m/%d/%Y %H:%M:%S:%L", "03/05/2026 04:06:07:089", "2026-03-05T04:06:07.089000000Z"},
      {"%Y.%m.%d %H:%M:%S %L %z", "2026.03.05 04:06:07 089 +0200", "2026-03-05T02:06:07.089000000Z"},
      {"%Y-%m-%dT%H:%M:%S,%LZ", "2026-03-05T04:06:07,089Z", "2026-03-05T04:06:07.089000000Z"},
      {"%Y-%m-%dT%H:%M:%S.%L%z", "2017-11-01T22:25:21.648-04:00", "2017-11-02T02:25:21.648000000Z"},
      {"%a %b %d %H:%M:%S.%L %Y", "Thu Mar 05 04:06:07.654321 2026", "2026-03-05T04:06:07.654321000Z"},
      {"%d/%b/%Y:%H:%M:%S %z", "30/Nov/2026:07:12:34 +0000", "2026-11-30T07:12:34.000000000Z"},
      {"%A, %d %B %Y %T", "Monday, 30 November 2026 07:12:34", "2026-11-30T07:12:34.000000000Z"},
      {"%FT%T%z", "2026-11-30T07:12:34Z", "2026-11-30T07:12:34.000000000Z"},
      {"%D %R", "11/30/26 07:12", "2026-11-30T07:12:00.000000000Z"},
      {"%Y-%j", "2024-366", "2024-12-31T00:00:00.000000000Z"},
      {"%Y%m%d%H%M%S", "20260305040607", "2026-03-05T04:06:07.000000000Z"},
      {"%e %h %Y %k:%M", " 5 mar 2026  4:06", "2026-03-05T04:06:00.000000000Z"},
  });
}

TEST_CASE("a fraction of any length keeps nine digits") {
  check_all({
      {"%s.%L", "1475497268.123456789123456789", "2016-10-03T12:21:08.123456789Z"},
      {"%H:%M:%S.%L", "12:00:00.5", "2026-03-08T12:00:00.500000000Z"},
      {"%H:%M:%S.%L", "12:00:00.", "none"},
  });
}

TEST_CASE("zones are offsets or names that mean one thing") {
  check_all({
      {"%F %T%z", "2026-03-05 10:30:00GMT", "2026-03-05T10:30:00.000000000Z"},
      {"%F %T%z", "2026-03-05 10:30:00EST", "2026-03-05T15:30:00.000000000Z"},
      {"%F %T %Z", "2026-03-05 14:00:00 cest", "2026-03-05T12:00:00.000000000Z"},
      {"%F %T %z", "2026-03-05 14:00:00 +02", "2026-03-05T12:00:00.000000000Z"},
      {"%F %T %Z", "2026-03-05 14:00:00 LMT", "none"},
      {"%F %T %z", "2026-03-05 14:00:00 +2", "none"},
      {"%F %T %z", "2026-03-05 14:00:00 +9900", "none"},
      {"%F %T", "2026-03-05 05:17:03", "2026-03-04T20:17:03.000000000Z", "+0900"},
      {"%F %T %z", "2026-03-05 05:17:03 +0000", "2026-03-05T05:17:03.000000000Z", "+0900"},
  });
}

TEST_CASE("halves of the day") {
  check_all({
      {"%F %I:%M %p", "2026-03-05 12:00 AM", "2026-03-05T00:00:00.000000000Z"},
      {"%F %I:%M %p", "2026-03-05 12:30 pm", "2026-03-05T12:30:00.000000000Z"},
      {"%F %I:%M %p", "2026-03-05 11:59 PM", "2026-03-05T23:59:00.000000000Z"},
      {"%F %I:%M %p", "2026-03-05 13:00 PM", "none"},
      {"%F %I:%M %p", "2026-03-05 11:59 XM", "none"},
  });
}

TEST_CASE("what is no time is refused") {
  check_all({
      {"%Y-%m-%d", "2023-13-01", "none"},
      {"%Y-%m-%d", "2023-02-29", "none"},
      {"%Y-%m-%d", "2024-02-29", "2024-02-29T00:00:00.000000000Z"},
      {"%Y-%m-%d", "2023-00-10", "none"},
      {"%F %T", "2026-03-05 24:00:00", "none"},
      {"%F %T", "2026-03-05 23:60:00", "none"},
      {"%F %T", "2026-03-05 23:59:60", "2026-03-06T00:00:00.000000000Z"},
      {"%Y-%j", "2023-366", "none"},
      {"%Y-%m-%d", "", "none"},
      {"%Y-%m-%d", "soon", "none"},
      {"%s", "99999999999999999999", "none"},
      {"%s", "9223372035", "2262-04-11T23:47:15.000000000Z"},
      {"%s", "-1", "1969-12-31T23:59:59.000000000Z"},
      {"%Y-%m-%d", "9999-01-01", "none"},  // past what 64 bits of nanoseconds hold
  });
}

TEST_CASE("text left over is refused unless strictness is off") {
  CHECK(read("%F %T", "2026-03-05 04:06:07 and more") == "none");
  CHECK(read("%F %T", "2026-03-05 04:06:07  ") == "2026-03-05T04:06:07.000000000Z");
  CHECK(read("%F %T", "2026-03-05 04:06:07 and more", {"", false}) == "2026-03-05T04:06:07.000000000Z");
}

TEST_CASE("a missing year is the one that makes the time the last before tomorrow") {
  const std::string_view format = "%b %d %H:%M:%S";
  CHECK(read(format, "Mar 08 19:00:00") == "2026-03-08T19:00:00.000000000Z");
  CHECK(read(format, "Mar 09 10:00:00") == "2026-03-09T10:00:00.000000000Z");
  CHECK(read(format, "Dec 31 23:59:59") == "2025-12-31T23:59:59.000000000Z");
  CHECK(read(format, "Feb 29 12:00:00") == "2024-02-29T12:00:00.000000000Z");
  const Nanos new_year_eve = 1'798'761'590 * kSecond;  // 2026-12-31T23:59:50Z
  CHECK(read(format, "Jan  1 00:00:01", {}, new_year_eve) == "2027-01-01T00:00:01.000000000Z");
  CHECK(read(format, "Feb 16 04:06:58", {"-0600", true}) == "2026-02-16T10:06:58.000000000Z");
}

TEST_CASE("a time of day alone belongs to the day at hand, there") {
  CHECK(read("%H:%M:%S", "19:59:00") == "2026-03-08T19:59:00.000000000Z");
  CHECK(read("%H:%M:%S", "23:00:00") == "2026-03-08T23:00:00.000000000Z");
  const Nanos after_midnight = 1'744'669'800 * kSecond;  // 2025-04-14T22:30:00Z, 00:30 in Stockholm
  CHECK(read("%H:%M:%S", "00:01:00", {"+0200", true}, after_midnight) == "2025-04-14T22:01:00.000000000Z");
  CHECK(read("%H:%M:%S", "23:59:00", {}, 1'773'014'460 * kSecond) == "2026-03-08T23:59:00.000000000Z");
}

TEST_CASE("a format that can't work is refused in a sentence") {
  CHECK(TimeFormat::compile("%Q").status().message().find("%Q") != std::string::npos);
  CHECK_FALSE(TimeFormat::compile("%Y-%m-%d %").ok());
  CHECK_FALSE(TimeFormat::compile("%p").ok());
  CHECK_FALSE(TimeFormat::compile("").ok());
  CHECK_FALSE(TimeFormat::compile("%F", {"0900", true}).ok());
}

}  // namespace logweir
