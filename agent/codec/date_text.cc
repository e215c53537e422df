// SPDX-License-Identifier: Apache-2.0
#include "codec/date_text.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstring>

namespace logweir {

namespace {

// `value` in exactly `digits` digits.
char* write_padded(char* out, std::uint64_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) out[i] = static_cast<char>('0' + value % 10);
  return out + digits;
}

char* write_number(char* out, Nanos value) { return std::to_chars(out, out + 24, value).ptr; }

constexpr Nanos floor_div(Nanos value, Nanos by) { return value / by - (value % by < 0 ? 1 : 0); }
constexpr Nanos floor_mod(Nanos value, Nanos by) { return value % by + (value % by < 0 ? by : 0); }

// YYYY-MM-DD?HH:MM:SS, what stands for ? given.
char* write_calendar(char* out, Nanos second, char between) {
  using namespace std::chrono;
  const Nanos day = floor_div(second, 86400);
  const auto of_day = static_cast<std::uint64_t>(second - day * 86400);
  const year_month_day date{sys_days{days{day}}};
  out = write_padded(out, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
  *out++ = '-';
  out = write_padded(out, static_cast<unsigned>(date.month()), 2);
  *out++ = '-';
  out = write_padded(out, static_cast<unsigned>(date.day()), 2);
  *out++ = between;
  out = write_padded(out, of_day / 3600, 2);
  *out++ = ':';
  out = write_padded(out, of_day / 60 % 60, 2);
  *out++ = ':';
  return write_padded(out, of_day % 60, 2);
}

// A time before 1970 as a decimal number: its sign, then its distance.
char* write_before_epoch(char* out, Nanos time, Nanos unit, int digits) {
  *out++ = '-';
  const auto distance = static_cast<std::uint64_t>(-(time + 1)) + 1;
  const auto whole = static_cast<std::uint64_t>(kSecond);
  out = std::to_chars(out, out + 24, distance / whole).ptr;
  *out++ = '.';
  return write_padded(out, distance % whole / static_cast<std::uint64_t>(unit), digits);
}

}  // namespace

char* write_seconds(char* out, Nanos time) {
  if (time < 0) return write_before_epoch(out, time, 1, 9);
  out = write_number(out, time / kSecond);
  *out++ = '.';
  return write_padded(out, static_cast<std::uint64_t>(time % kSecond), 9);
}

std::string_view DateText::of(Nanos time) {
  if (!fresh_ && time == time_) return {text_, size_};
  // Fluent Bit prints a double with six digits, so it rounds.
  Nanos shown = time;
  if (format_ == DateFormat::real && time >= 0 && time < INT64_MAX - 500) shown = (time + 500) / 1000 * 1000;
  const Nanos second = floor_div(shown, kSecond);
  if (fresh_ || second != second_) begin_second(second);
  fresh_ = false;
  time_ = time;
  const auto part = static_cast<std::uint64_t>(floor_mod(shown, kSecond));
  char* out = text_ + whole_;
  switch (format_) {
    case DateFormat::real:
      out = time < 0 ? write_before_epoch(text_, time, kMicrosecond, 6) : write_padded(out, part / 1000, 6);
      break;
    case DateFormat::iso8601:
      out = write_padded(out, part / 1000, 6);
      *out++ = 'Z';
      *out++ = '"';
      break;
    case DateFormat::java_sql_timestamp:
      out = write_padded(out, part / 1000, 6);
      *out++ = '"';
      break;
    case DateFormat::rfc3339:
      out = write_padded(out, part, 9);
      *out++ = 'Z';
      *out++ = '"';
      break;
    case DateFormat::epoch:
      break;
    case DateFormat::epoch_ms:
      out = write_number(text_, floor_div(time, kMillisecond));
      break;
    case DateFormat::epoch_ns:
      out = write_number(text_, time);
      break;
  }
  size_ = static_cast<std::size_t>(out - text_);
  return {text_, size_};
}

void DateText::begin_second(Nanos second) {
  second_ = second;
  char* out = text_;
  if (format_ == DateFormat::real || format_ == DateFormat::epoch) {
    out = write_number(out, second);
    if (format_ == DateFormat::real) *out++ = '.';
  } else if (format_ != DateFormat::epoch_ms && format_ != DateFormat::epoch_ns) {
    *out++ = '"';
    out = write_calendar(out, second, format_ == DateFormat::java_sql_timestamp ? ' ' : 'T');
    *out++ = '.';
  }
  whole_ = static_cast<std::size_t>(out - text_);
}

Result<DateFormat> date_format_of(std::string_view word) {
  struct Word {
    std::string_view text;
    DateFormat format;
  };
  static constexpr Word kWords[] = {
      {"double", DateFormat::real},
      {"real", DateFormat::real},
      {"iso8601", DateFormat::iso8601},
      {"epoch", DateFormat::epoch},
      {"epoch_ms", DateFormat::epoch_ms},
      {"epoch_millis", DateFormat::epoch_ms},
      {"epoch_milliseconds", DateFormat::epoch_ms},
      {"epoch_ns", DateFormat::epoch_ns},
      {"rfc3339", DateFormat::rfc3339},
      {"java_sql_timestamp", DateFormat::java_sql_timestamp},
  };
  for (const Word& known : kWords) {
    if (known.text == word) return known.format;
  }
  return Status(Code::invalid, fmt::format("\"{}\" is not a date format; known are {}.", word, kDateFormatWords));
}

}  // namespace logweir
