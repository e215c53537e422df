// SPDX-License-Identifier: Apache-2.0
// Sizes and durations as text. All arithmetic is checked: a number that does not fit is no number.
#include <cctype>
#include <limits>
#include <string>

#include "config/schema.h"

namespace logweir {
namespace {

using Wide = unsigned __int128;

struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t part = 0;   // digits behind the point, at most nine
  std::uint64_t scale = 1;  // 10^digits of `part`

  // nothing when the product does not fit into `most`
  [[nodiscard]] std::optional<std::uint64_t> times(std::uint64_t unit, std::uint64_t most) const {
    const Wide product = Wide(whole) * unit + Wide(part) * unit / scale;
    if (product > most) return std::nullopt;
    return static_cast<std::uint64_t>(product);
  }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

std::optional<std::uint64_t> take_digits(std::string_view& text) {
  std::uint64_t value = 0;
  while (!text.empty() && is_digit(text.front())) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
    text.remove_prefix(1);
  }
  return value;
}

std::optional<Decimal> take_decimal(std::string_view& text) {
  if (text.empty() || (!is_digit(text.front()) && text.front() != '.')) return std::nullopt;
  Decimal out;
  const std::optional<std::uint64_t> whole = take_digits(text);
  if (!whole) return std::nullopt;
  out.whole = *whole;
  if (text.empty() || text.front() != '.') return out;
  text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  while (!text.empty() && is_digit(text.front())) {
    if (out.scale < 1'000'000'000) {
      out.part = out.part * 10 + static_cast<std::uint64_t>(text.front() - '0');
      out.scale *= 10;
    }
    text.remove_prefix(1);
  }
  return out;
}

// The letters in front, in lower case.
std::string take_unit(std::string_view& text) {
  std::string unit;
  while (!text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 && unit.size() < 8) {
    unit += static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    text.remove_prefix(1);
  }
  return unit;
}

std::uint64_t size_unit(const std::string& unit) {
  if (unit.empty() || unit == "b") return 1;
  if (unit == "k" || unit == "kb" || unit == "kib") return std::uint64_t{1} << 10;
  if (unit == "m" || unit == "mb" || unit == "mib") return std::uint64_t{1} << 20;
  if (unit == "g" || unit == "gb" || unit == "gib") return std::uint64_t{1} << 30;
  if (unit == "t" || unit == "tb" || unit == "tib") return std::uint64_t{1} << 40;
  return 0;
}

std::uint64_t time_unit(const std::string& unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return kMicrosecond;
  if (unit == "ms") return kMillisecond;
  if (unit == "s" || unit == "sec") return kSecond;
  if (unit == "m" || unit == "min") return 60 * kSecond;
  if (unit == "h") return 3600 * kSecond;
  if (unit == "d") return 86400 * kSecond;
  return 0;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  skip_spaces(text);
  const std::optional<Decimal> number = take_decimal(text);
  if (!number) return std::nullopt;
  skip_spaces(text);
  const std::uint64_t unit = size_unit(take_unit(text));
  skip_spaces(text);
  if (unit == 0 || !text.empty()) return std::nullopt;
  return number->times(unit, std::numeric_limits<std::uint64_t>::max());
}

std::optional<Nanos> parse_duration(std::string_view text) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Nanos>::max());
  skip_spaces(text);
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  for (bool first = true; !text.empty(); first = false) {
    const std::optional<Decimal> number = take_decimal(text);
    if (!number) return std::nullopt;
    const std::string word = take_unit(text);
    skip_spaces(text);
    const bool plain_seconds = word.empty() && first && text.empty();
    const std::uint64_t unit = plain_seconds ? kSecond : time_unit(word);
    if (unit == 0) return std::nullopt;
    const std::optional<std::uint64_t> length = number->times(unit, kMost - total);
    if (!length) return std::nullopt;
    total += *length;
  }
  return static_cast<Nanos>(total);
}

}  // namespace logweir
