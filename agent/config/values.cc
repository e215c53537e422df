// SPDX-License-Identifier: Apache-2.0
// How values of each member type are read and printed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "config/schema.h"
#include "config/words.h"

namespace logweir::schema_detail {
namespace {

// The one text of a value; a list of one is as good as its item. Null when there is no such.
const std::string* text_of(const Node& value) {
  if (value.kind == Node::Kind::scalar) return &value.scalar;
  if (value.kind != Node::Kind::list || value.items.size() != 1) return nullptr;
  const Node& only = value.items.front();
  return only.kind == Node::Kind::scalar ? &only.scalar : nullptr;
}

Status wants(std::string what) { return {Code::invalid, std::move(what)}; }

Status wants_word_of(std::string_view allowed, std::string_view found) {
  const std::vector<std::string_view> words = split_words(allowed, '|');
  const std::string_view near = nearest(found, words);
  std::string text = fmt::format("one of {}", fmt::join(words, ", "));
  if (!near.empty()) text += fmt::format(" (did you mean '{}'?)", near);
  return wants(std::move(text));
}

int index_of_word(std::string_view found, std::string_view allowed) {
  int index = 0;
  for (const std::string_view word : split_words(allowed, '|')) {
    if (same_text(found, word)) return index;
    ++index;
  }
  return -1;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

Range range_of(std::string_view allowed) {
  Range range;
  const std::size_t dots = allowed.find("..");
  if (dots == std::string_view::npos) return range;
  range.least = integer_of(allowed.substr(0, dots)).value_or(range.least);
  range.most = integer_of(allowed.substr(dots + 2)).value_or(range.most);
  return range;
}

void add_split(std::vector<std::string>& to, std::string_view text, bool at_commas) {
  if (!at_commas) {
    to.emplace_back(text);
    return;
  }
  for (const std::string_view word : split_words(text, ',')) {
    if (!word.empty()) to.emplace_back(word);
  }
}

}  // namespace

Status read(std::string& to, const Node& value, const Option& option) {
  const std::string* text = text_of(value);
  if (text == nullptr) return wants("one text");
  if (option.allowed.empty()) {
    to = *text;
    return {};
  }
  const int index = index_of_word(trimmed(*text), option.allowed);
  if (index < 0) return wants_word_of(option.allowed, trimmed(*text));
  to = print_word(index, option.allowed);
  return {};
}

Status read(bool& to, const Node& value, const Option&) {
  static constexpr std::array<std::string_view, 4> kYes = {"on", "yes", "true", "1"};
  static constexpr std::array<std::string_view, 4> kNo = {"off", "no", "false", "0"};
  if (const std::string* text = text_of(value); text != nullptr) {
    for (std::size_t i = 0; i < kYes.size(); ++i) {
      const bool yes = same_text(trimmed(*text), kYes[i]);
      if (!yes && !same_text(trimmed(*text), kNo[i])) continue;
      to = yes;
      return {};
    }
  }
  return wants("on or off (yes, no, true, false, 1 and 0 are taken as well)");
}

Status read(std::int64_t& to, const Node& value, const Option& option) {
  const Range range = range_of(option.allowed);
  const std::string* text = text_of(value);
  const std::optional<std::int64_t> number = text != nullptr ? integer_of(*text) : std::nullopt;
  if (number && *number >= range.least && *number <= range.most) {
    to = *number;
    return {};
  }
  const std::size_t dots = option.allowed.find("..");
  if (dots == std::string_view::npos) return wants("a whole number");
  return wants(
      fmt::format("a whole number from {} to {}", option.allowed.substr(0, dots), option.allowed.substr(dots + 2)));
}

Status read(double& to, const Node& value, const Option&) {
  if (const std::string* text = text_of(value); text != nullptr) {
    const std::string_view word = trimmed(*text);
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool finite = number - number == 0;
    if (error == std::errc() && end == word.data() + word.size() && !word.empty() && finite) {
      to = number;
      return {};
    }
  }
  return wants("a number such as 5 or 0.25");
}

Status read(Bytes& to, const Node& value, const Option&) {
  const std::string* text = text_of(value);
  const std::optional<std::uint64_t> size = text != nullptr ? parse_size(*text) : std::nullopt;
  if (!size) return wants("a size such as 512, 32k, 1.5M or 2GB");
  to.value = *size;
  return {};
}

Status read(Duration& to, const Node& value, const Option& option) {
  const std::string* text = text_of(value);
  const bool can_be_off = option.allowed == "off";
  if (text != nullptr && can_be_off) {
    const std::string_view word = trimmed(*text);
    if (same_text(word, "off") || same_text(word, "none") || word == "-1") {
      to.value = -1;
      return {};
    }
  }
  const std::optional<Nanos> length = text != nullptr ? parse_duration(*text) : std::nullopt;
  if (!length) {
    return wants(can_be_off ? "a duration such as 5 (seconds), 200ms or 1m, or off"
                            : "a duration such as 5 (seconds), 200ms or 1m");
  }
  to.value = *length;
  return {};
}

Status read(std::vector<std::string>& to, const Node& value, const Option& option) {
  const bool at_commas = (option.marks & kCommaList) != 0;
  std::vector<std::string> all;
  if (value.kind == Node::Kind::map) return wants("a text or a list of texts");
  if (value.kind == Node::Kind::scalar) add_split(all, value.scalar, at_commas);
  for (const Node& item : value.items) {
    if (item.kind != Node::Kind::scalar) return wants("a text or a list of texts");
    all.push_back(item.scalar);
  }
  to = std::move(all);
  return {};
}

Status read_word(int& to, const Node& value, const Option& option) {
  const std::string* text = text_of(value);
  const std::string_view found = text != nullptr ? trimmed(*text) : std::string_view();
  const int index = index_of_word(found, option.allowed);
  if (text == nullptr || index < 0) return wants_word_of(option.allowed, found);
  to = index;
  return {};
}

std::string print(const std::string& v) { return v; }
std::string print(bool v) { return v ? "on" : "off"; }
std::string print(std::int64_t v) { return fmt::format("{}", v); }
std::string print(double v) { return fmt::format("{}", v); }

std::string print(Bytes v) {
  static constexpr std::string_view kUnits = "TGMk";
  int shift = 40;
  for (const char unit : kUnits) {
    const std::uint64_t size = std::uint64_t{1} << shift;
    if (v.value != 0 && v.value % size == 0) return fmt::format("{}{}", v.value / size, unit);
    shift -= 10;
  }
  return fmt::format("{}", v.value);
}

std::string print(Duration v) {
  struct Unit {
    Nanos length;
    std::string_view name;
  };
  static constexpr std::array<Unit, 6> kUnits = {{{86400 * kSecond, "d"},
                                                  {3600 * kSecond, "h"},
                                                  {60 * kSecond, "m"},
                                                  {kSecond, "s"},
                                                  {kMillisecond, "ms"},
                                                  {kMicrosecond, "us"}}};
  if (v.value < 0) return "off";
  if (v.value == 0) return "0";
  for (const Unit& unit : kUnits) {
    if (v.value % unit.length == 0) return fmt::format("{}{}", v.value / unit.length, unit.name);
  }
  return fmt::format("{}ns", v.value);
}

std::string print(const std::vector<std::string>& v, const Option& option) {
  const auto has = [&](std::string_view signs) {
    return std::any_of(v.begin(), v.end(),
                       [&](const std::string& item) { return item.find_first_of(signs) != std::string::npos; });
  };
  const bool at_commas = (option.marks & kCommaList) != 0;
  const bool plain = at_commas ? !has(",[") : v.size() < 2 && !has("[");
  if (plain) return fmt::format("{}", fmt::join(v, ", "));
  std::string out = "[";
  for (const std::string& item : v) out += (out.size() > 1 ? ", " : "") + in_quotes(item);
  return out + "]";
}

std::string print_word(int v, std::string_view allowed) {
  const std::vector<std::string_view> words = split_words(allowed, '|');
  const bool known = v >= 0 && static_cast<std::size_t>(v) < words.size();
  return known ? std::string(words[static_cast<std::size_t>(v)]) : fmt::format("{}", v);
}

}  // namespace logweir::schema_detail
