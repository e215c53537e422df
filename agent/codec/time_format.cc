// SPDX-License-Identifier: Apache-2.0
#include "codec/time_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "codec/calendar.h"

namespace logweir {

namespace {

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kMostSeconds = 9'223'372'035;  // what Nanos can hold

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool is_letter(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }

// English names; the first three letters tell them apart.
constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                      "may",       "june",     "july",     "august",
                                                      "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {"monday", "tuesday",  "wednesday", "thursday",
                                                       "friday", "saturday", "sunday"};

struct ZoneName {
  std::string_view name;
  int hours;
};
// RFC 822's names and a few that mean one thing only.
constexpr ZoneName kZones[] = {
    {"utc", 0},  {"gmt", 0},  {"ut", 0},   {"z", 0},    {"est", -5}, {"edt", -4}, {"cst", -6},
    {"cdt", -5}, {"mst", -7}, {"mdt", -6}, {"pst", -8}, {"pdt", -7}, {"wet", 0},  {"west", 1},
    {"cet", 1},  {"cest", 2}, {"eet", 2},  {"eest", 3}, {"msk", 3},  {"jst", 9},
};

bool same_word(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

// What is left of the text.
struct TimeFormat::Cursor {
  const char* at;
  const char* end;

  [[nodiscard]] bool empty() const { return at == end; }
  bool take(char c) {
    if (at == end || *at != c) return false;
    ++at;
    return true;
  }
  void skip_blanks() {
    while (at != end && is_blank(*at)) ++at;
  }
  // A number of 1 to `most` digits, within bounds.
  bool number(int& to, int most, int low, int high) {
    int value = 0;
    int digits = 0;
    for (; digits != most && at != end && is_digit(*at); ++digits) value = value * 10 + (*at++ - '0');
    to = value;
    return digits != 0 && value >= low && value <= high;
  }
  [[nodiscard]] std::string_view letters() const {
    const char* behind = at;
    while (behind != end && is_letter(*behind)) ++behind;
    return {at, static_cast<std::size_t>(behind - at)};
  }
  // A name in full or its first three letters.
  template <std::size_t N>
  bool name(const std::array<std::string_view, N>& names, int& to) {
    const std::string_view word = letters();
    for (std::size_t i = 0; i < N; ++i) {
      const std::string_view name = names[i];
      const bool full = word.size() >= name.size() && same_word(word.substr(0, name.size()), name);
      if (!full && (word.size() < 3 || !same_word(word.substr(0, 3), name.substr(0, 3)))) continue;
      at += full ? name.size() : 3;
      to = static_cast<int>(i);
      return true;
    }
    return false;
  }
};

std::optional<int> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const std::string_view digits = text.substr(1);
  const bool colon = digits.size() == 5 && digits[2] == ':';
  if (digits.size() != 2 && digits.size() != 4 && !colon) return std::nullopt;
  int values[2] = {0, 0};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (colon && i == 2) continue;
    if (!is_digit(digits[i])) return std::nullopt;
    int& value = values[i < 2 ? 0 : 1];
    value = value * 10 + (digits[i] - '0');
  }
  if (values[0] > 18 || values[1] > 59) return std::nullopt;
  const int seconds = values[0] * 3600 + values[1] * 60;
  return text[0] == '-' ? -seconds : seconds;
}

Result<TimeFormat> TimeFormat::compile(std::string_view format, const Options& options) {
  TimeFormat result;
  result.strict_ = options.strict;
  if (!options.offset.empty()) {
    const auto offset = parse_offset(options.offset);
    if (!offset) {
      return Status(Code::invalid,
                    fmt::format("\"{}\" is not a time offset; write it like +0900, -05:30 or Z.", options.offset));
    }
    result.offset_ = *offset;
  }
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (is_blank(c)) {
      result.steps_.push_back({Op::blanks});
    } else if (c != '%') {
      result.steps_.push_back({Op::literal, c});
    } else {
      const char conversion = i + 1 < format.size() ? format[++i] : '\0';
      Status status = result.add(conversion);
      if (!status.ok()) return std::move(status).while_doing(fmt::format("reading the time format \"{}\"", format));
    }
  }
  const bool tells_time = std::any_of(result.steps_.begin(), result.steps_.end(), [](const Step& step) {
    return step.op == Op::epoch || step.op == Op::hour || step.op == Op::hour12 || step.op == Op::day ||
           step.op == Op::day_of_year;
  });
  if (!tells_time) {
    return Status(Code::invalid, fmt::format("the time format \"{}\" names neither a day nor an hour; use for example "
                                             "%Y-%m-%dT%H:%M:%S.%L%z or %s.",
                                             format));
  }
  return result;
}

Status TimeFormat::add(char conversion) {
  struct Known {
    char letter;
    Op op;
  };
  static constexpr Known kKnown[] = {
      {'Y', Op::year},       {'y', Op::year2},       {'C', Op::century},      {'m', Op::month},
      {'b', Op::month_name}, {'B', Op::month_name},  {'h', Op::month_name},   {'d', Op::day},
      {'e', Op::day},        {'j', Op::day_of_year}, {'a', Op::weekday_name}, {'A', Op::weekday_name},
      {'H', Op::hour},       {'k', Op::hour},        {'I', Op::hour12},       {'l', Op::hour12},
      {'M', Op::minute},     {'S', Op::second},      {'p', Op::half},         {'P', Op::half},
      {'s', Op::epoch},      {'L', Op::fraction},    {'z', Op::zone},         {'Z', Op::zone_name},
      {'n', Op::blanks},     {'t', Op::blanks},      {'%', Op::literal},
  };
  for (const Known& known : kKnown) {
    if (known.letter != conversion) continue;
    steps_.push_back({known.op, '%'});
    return {};
  }
  switch (conversion) {
    case 'T':
      add_all("H:M:S");
      return {};
    case 'R':
      add_all("H:M");
      return {};
    case 'F':
      add_all("Y-m-d");
      return {};
    case 'D':
      add_all("m/d/y");
      return {};
    default:
      return {Code::invalid,
              fmt::format("%{} is not known; known are Y y C m d e j b B h a A H I M S L p s z Z T R F D n t and %.",
                          conversion == '\0' ? std::string_view("(nothing)") : std::string_view(&conversion, 1))};
  }
}

// A composed conversion: letters are conversions, all else is literal.
void TimeFormat::add_all(std::string_view conversions) {
  for (const char c : conversions) {
    if (!is_letter(c)) {
      steps_.push_back({Op::literal, c});
    } else if (!add(c).ok()) {
      LW_CHECK(false);
    }
  }
}

std::optional<Nanos> TimeFormat::parse(std::string_view text, Nanos now) const {
  Cursor cursor{text.data(), text.data() + text.size()};
  Parts parts;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step step = steps_[i];
    if (step.op == Op::literal) {
      if (cursor.take(step.literal)) continue;
      if (!fits(cursor, i)) return std::nullopt;
      break;
    }
    if (!read(step, cursor, parts)) return std::nullopt;
  }
  // A number out of JSON may have a fraction where the format only says %s.
  if (parts.has_epoch && steps_.back().op == Op::epoch && cursor.take('.') && !read_fraction(cursor, parts)) {
    return std::nullopt;
  }
  cursor.skip_blanks();
  if (strict_ && !cursor.empty()) return std::nullopt;
  return instant(parts, now);
}

// A whole number where the format says %s.%L.
bool TimeFormat::fits(const Cursor& cursor, std::size_t step) const {
  return cursor.empty() && step + 2 == steps_.size() && step > 0 && steps_[step - 1].op == Op::epoch &&
         steps_[step].literal == '.' && steps_[step + 1].op == Op::fraction;
}

bool TimeFormat::read(const Step& step, Cursor& cursor, Parts& parts) {
  switch (step.op) {
    case Op::literal:
      return cursor.take(step.literal);
    case Op::blanks:
      cursor.skip_blanks();
      return true;
    case Op::year:
      return cursor.number(parts.year, 4, 0, 9999);
    case Op::year2:
      return cursor.number(parts.year2, 2, 0, 99);
    case Op::century:
      return cursor.number(parts.century, 2, 0, 99);
    case Op::month:
      return cursor.number(parts.month, 2, 1, 12);
    case Op::month_name:
      if (!cursor.name(kMonths, parts.month)) return false;
      ++parts.month;
      return true;
    case Op::day:
      cursor.skip_blanks();
      return cursor.number(parts.day, 2, 1, 31);
    case Op::day_of_year:
      return cursor.number(parts.day_of_year, 3, 1, 366);
    case Op::weekday_name: {
      int unused;
      return cursor.name(kWeekdays, unused);
    }
    case Op::hour:
      cursor.skip_blanks();
      return cursor.number(parts.hour, 2, 0, 23);
    case Op::hour12:
      cursor.skip_blanks();
      return cursor.number(parts.hour12, 2, 1, 12);
    case Op::minute:
      return cursor.number(parts.minute, 2, 0, 59);
    case Op::second:
      return cursor.number(parts.second, 2, 0, 60);
    case Op::half: {
      const std::string_view word = cursor.letters().substr(0, 2);
      parts.half = same_word(word, "am") ? 0 : same_word(word, "pm") ? 1 : -1;
      cursor.at += parts.half < 0 ? 0 : 2;
      return parts.half >= 0;
    }
    case Op::epoch:
      return read_epoch(cursor, parts);
    case Op::fraction:
      return read_fraction(cursor, parts);
    case Op::zone:
      return read_zone(cursor, parts);
    case Op::zone_name:
      return read_zone_name(cursor, parts);
  }
  return false;
}

bool TimeFormat::read_epoch(Cursor& cursor, Parts& parts) {
  parts.negative = cursor.take('-');
  const char* const from = cursor.at;
  while (!cursor.empty() && is_digit(*cursor.at) && parts.epoch <= kMostSeconds) {
    parts.epoch = parts.epoch * 10 + (*cursor.at++ - '0');
  }
  parts.has_epoch = cursor.at != from && parts.epoch <= kMostSeconds;
  return parts.has_epoch;
}

bool TimeFormat::read_fraction(Cursor& cursor, Parts& parts) {
  const char* const from = cursor.at;
  std::int64_t unit = kSecond / 10;
  parts.fraction = 0;
  for (; !cursor.empty() && is_digit(*cursor.at); ++cursor.at, unit /= 10) {
    parts.fraction += (*cursor.at - '0') * unit;
  }
  return cursor.at != from;
}

bool TimeFormat::read_zone(Cursor& cursor, Parts& parts) {
  cursor.skip_blanks();
  if (cursor.empty()) return false;
  if (*cursor.at != '+' && *cursor.at != '-') return read_zone_name(cursor, parts);
  // The longest form that is one: +hh:mm, +hhmm, +hh.
  for (const std::size_t size : {6, 5, 3}) {
    if (static_cast<std::size_t>(cursor.end - cursor.at) < size) continue;
    if (const auto offset = parse_offset({cursor.at, size})) {
      parts.offset = *offset;
      parts.has_offset = true;
      cursor.at += size;
      return true;
    }
  }
  return false;
}

bool TimeFormat::read_zone_name(Cursor& cursor, Parts& parts) {
  const std::string_view word = cursor.letters();
  for (const ZoneName& zone : kZones) {
    if (!same_word(word, zone.name)) continue;
    parts.offset = zone.hours * 3600;
    parts.has_offset = true;
    cursor.at += word.size();
    return true;
  }
  return false;
}

std::optional<Nanos> TimeFormat::instant(const Parts& parts, Nanos now) const {
  std::int64_t seconds = parts.epoch;
  if (parts.has_epoch) {
    const Nanos distance = seconds * kSecond + parts.fraction;
    return parts.negative ? -distance : distance;
  }
  int hour = std::max(parts.hour, 0);
  if (parts.hour12 >= 0) hour = parts.hour12 % 12 + (parts.half == 1 ? 12 : 0);
  const std::int64_t of_day = hour * 3600 + std::max(parts.minute, 0) * 60 + std::max(parts.second, 0);
  const std::int64_t offset = parts.has_offset ? parts.offset : offset_;
  const auto day = day_number(parts, now / kSecond + offset, of_day);
  if (!day) return std::nullopt;
  seconds = *day * kDay + of_day - offset;
  if (seconds > kMostSeconds || seconds < -kMostSeconds) return std::nullopt;
  return seconds * kSecond + parts.fraction;
}

// Days since 1970 in local time; `local_now` are seconds.
std::optional<std::int64_t> TimeFormat::day_number(const Parts& parts, std::int64_t local_now, std::int64_t of_day) {
  int year = parts.year;
  if (parts.year2 >= 0) {
    year = parts.century >= 0 ? parts.century * 100 + parts.year2 : parts.year2 + (parts.year2 < 69 ? 2000 : 1900);
  }
  const bool has_day = parts.day >= 0 || parts.month >= 0 || parts.day_of_year >= 0;
  const auto in_year = [&parts](int y) -> std::optional<std::int64_t> {
    if (parts.day_of_year > 0 && parts.month < 0) {
      if (parts.day_of_year == 366 && !is_leap(y)) return std::nullopt;
      return days_from_civil(y, 1, 1) + parts.day_of_year - 1;
    }
    const int month = std::max(parts.month, 1);
    const int day = std::max(parts.day, 1);
    if (day > days_of_month(y, month)) return std::nullopt;
    return days_from_civil(y, month, day);
  };
  const std::int64_t today = local_now >= 0 ? local_now / kDay : (local_now - kDay + 1) / kDay;
  if (year >= 0) return in_year(year);
  if (!has_day) return today * kDay + of_day > local_now + kDay / 2 ? today - 1 : today;
  const int this_year = year_of_day(today);
  for (int y = this_year + 1; y > this_year - 8; --y) {  // as far back as a 29 February can be
    const auto day = in_year(y);
    if (day && *day * kDay + of_day <= local_now + kDay) return day;
  }
  return std::nullopt;
}

}  // namespace logweir
