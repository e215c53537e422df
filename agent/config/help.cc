// SPDX-License-Identifier: Apache-2.0
// What schemas say to people: the reference text and the effective values.
#include <fmt/format.h>

#include <algorithm>

#include "config/schema.h"
#include "config/words.h"

namespace logweir {
namespace {

constexpr std::size_t kTextWidth = 92;

std::string marks_of(const Option& option) {
  std::string out;
  const auto add = [&](unsigned mark, std::string_view word) {
    if ((option.marks & mark) != 0) out += fmt::format(", {}", word);
  };
  add(kRequired, "required");
  add(kCommaList, "comma list");
  add(kRepeats, "may repeat");
  add(kLive, "live");
  add(kSecret, "secret");
  return out;
}

std::string words_of(std::string_view allowed) {
  std::string out;
  for (const char c : allowed) {
    if (c == '|') {
      out += ", ";
    } else {
      out += c;
    }
  }
  return out;
}

// `text` in lines of at most kTextWidth, each behind `indent` blanks.
std::string folded(std::string_view text, std::size_t indent) {
  std::string out;
  const std::string margin(indent, ' ');
  while (!text.empty()) {
    std::size_t end = text.size();
    if (text.size() > kTextWidth) {
      end = text.rfind(' ', kTextWidth);
      if (end == std::string_view::npos || end == 0) end = text.find(' ');
      if (end == std::string_view::npos) end = text.size();
    }
    out += fmt::format("{}{}\n", margin, text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

// As it could stand in a YAML conf again: in quotes where plain text would be misread.
std::string value_text(const std::string& value) {
  const bool plain = !value.empty() && value.front() != ' ' && value.back() != ' ' &&
                     value.find_first_of("\"\\#'{}[]*&!%@`|>") == std::string::npos &&
                     value.find(": ") == std::string::npos && std::none_of(value.begin(), value.end(), [](char c) {
                       return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                     });
  if (plain) return value;
  return in_quotes(value);
}

}  // namespace

std::string render_help(const Schema& schema) {
  std::string out;
  for (const Option& option : schema.options) {
    out += fmt::format("  {}  ({}{})", option.key, option.type, marks_of(option));
    if (!option.fallback.empty()) out += fmt::format("  default: {}", option.fallback);
    out += '\n';
    if (!option.allowed.empty()) out += fmt::format("      allowed: {}\n", words_of(option.allowed));
    out += folded(option.help, 6);
  }
  return out;
}

std::string render_values(const Schema& schema, const void* options, int indent) {
  std::string out;
  const std::string margin(static_cast<std::size_t>(std::max(indent, 0)), ' ');
  for (const Option& option : schema.options) {
    const std::string value = option.show(options, option);
    if (value.empty() && option.fallback.empty()) continue;  // not given, and nothing takes its place
    const bool list = option.type == "list" && value.starts_with('[');
    const bool hidden = (option.marks & kSecret) != 0 && !value.empty();
    out += fmt::format("{}{}: {}\n", margin, option.key, hidden ? "\"***\"" : (list ? value : value_text(value)));
  }
  return out;
}

}  // namespace logweir
