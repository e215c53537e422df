// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace logweir {

// Value. A strptime format, read once: %Y %y %C %m %d %e %j %b %B %h %a %A %H %I %M %S %p %s %z %Z %T %R %F %D %n %t %%
// and Fluent Bit's %L, the digits of a fraction (any number, nine are kept). A blank stands for any number of blanks.
// Pure: what the text does not say comes from `now` and from the offset.
class TimeFormat {
 public:
  struct Options {
    std::string offset;  // of times without a zone: "+0900", "-05:30", "Z"; empty: UTC
    bool strict = true;  // the whole text must be used up
  };
  static Result<TimeFormat> compile(std::string_view format, const Options& options);
  static Result<TimeFormat> compile(std::string_view format) { return compile(format, Options()); }

  // The instant; nothing when the text does not fit the format, or is no time. Without a year it is the last such
  // date up to a day after `now` (a clock may be wrong, a zone be forgotten); without a date, the last such time of day
  // up to twelve hours after.
  [[nodiscard]] std::optional<Nanos> parse(std::string_view text, Nanos now) const;

 private:
  enum class Op : std::uint8_t {
    literal,
    blanks,
    year,
    year2,
    century,
    month,
    month_name,
    day,
    day_of_year,
    weekday_name,
    hour,
    hour12,
    minute,
    second,
    half,
    epoch,
    fraction,
    zone,
    zone_name,
  };
  struct Step {
    Op op;
    char literal = 0;
  };
  // What was read; -1: not said.
  struct Parts {
    int year = -1, year2 = -1, century = -1, month = -1, day = -1, day_of_year = -1;
    int hour = -1, hour12 = -1, minute = -1, second = -1, half = -1;
    std::int64_t fraction = 0;  // nanoseconds
    std::int64_t epoch = 0;
    bool has_epoch = false;
    bool negative = false;
    int offset = 0;  // seconds east
    bool has_offset = false;
  };
  struct Cursor;

  Status add(char conversion);
  void add_all(std::string_view conversions);
  static bool read(const Step& step, Cursor& cursor, Parts& parts);
  static bool read_zone(Cursor& cursor, Parts& parts);
  static bool read_zone_name(Cursor& cursor, Parts& parts);
  static bool read_fraction(Cursor& cursor, Parts& parts);
  static bool read_epoch(Cursor& cursor, Parts& parts);
  [[nodiscard]] bool fits(const Cursor& cursor, std::size_t step) const;
  [[nodiscard]] std::optional<Nanos> instant(const Parts& parts, Nanos now) const;
  [[nodiscard]] static std::optional<std::int64_t> day_number(const Parts& parts, std::int64_t local_now,
                                                              std::int64_t of_day);

  std::vector<Step> steps_;
  int offset_ = 0;
  bool strict_ = true;
};

// "+0900", "-05:30", "+09", "Z": seconds east of UTC.
std::optional<int> parse_offset(std::string_view text);

}  // namespace logweir
