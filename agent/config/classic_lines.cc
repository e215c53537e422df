// SPDX-License-Identifier: Apache-2.0
// The classic format, line by line:
//   file    = { blank | comment | section | entry | command }
//   section = blanks "[" name "]" blanks [comment]  name in any case
//   entry   = blanks key blank {blank} value        the value is the rest of the line, trimmed; no quotes, no comments
//   comment = blanks "#" ...
//   command = "@SET" blank name "=" value | "@INCLUDE" blank path
// Blanks are spaces and tabs in any mix; how deep an entry is indented does not matter.
#include "config/classic_lines.h"

#include <fmt/format.h>

#include "config/schema.h"
#include "config/words.h"

namespace logweir {
namespace {

using Kind = RawItem::Kind;

constexpr std::size_t kLongestQuote = 80;
constexpr std::array<std::string_view, 6> kSections = {"SERVICE", "INPUT",  "FILTER",
                                                       "OUTPUT",  "PARSER", "MULTILINE_PARSER"};
constexpr std::array<Kind, 6> kKinds = {Kind::service, Kind::input,  Kind::filter,
                                        Kind::output,  Kind::parser, Kind::multiline_parser};
constexpr std::array<std::string_view, 2> kCommands = {"@SET", "@INCLUDE"};

struct Absent {
  std::string_view name, why;
};
constexpr std::array<Absent, 5> kAbsent = {
    {{"PLUGINS", "it names shared objects to load, and all plugins are part of the program here"},
     {"CUSTOM", "custom plugins are not built here"},
     {"STREAM_TASK", "stream processing in SQL is not built here"},
     {"UPSTREAM", "write the nodes as the 'hosts' or 'endpoints' of an output"},
     {"NODE", "write the nodes as the 'hosts' or 'endpoints' of an output"}}};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

struct Pair {
  std::string_view key;
  std::string_view value;
};
Pair split(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  return {text.substr(0, end), trimmed(text.substr(end))};
}

// What else may be meant by a key that no schema will know.
std::string_view foreign_key(std::string_view key) {
  if (key.starts_with(';') || key.starts_with("//")) return "a comment begins with '#'";
  if (key.size() > 1 && key.ends_with(':')) return "a blank stands between a key and its value, and no colon";
  return {};
}

// The next text of a rule, in double quotes with \" inside, or up to a blank.
std::optional<std::string> next_word(std::string_view& rest) {
  rest = trimmed(rest);
  if (rest.empty()) return std::nullopt;
  std::string word;
  if (rest.front() != '"') {
    const Pair pair = split(rest);
    word = pair.key;
    rest = pair.value;
    return word;
  }
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      rest.remove_prefix(at + 1);
      return word;
    }
    const bool escaped = rest[at] == '\\' && at + 1 < rest.size() && rest[at + 1] == '"';
    if (escaped) ++at;
    word += rest[at];
  }
  return std::nullopt;
}

}  // namespace

ClassicLines::ClassicLines(std::string_view text, std::shared_ptr<const std::string> file, Problems& problems)
    : rest_(text), file_(std::move(file)), problems_(problems) {
  if (!rest_.starts_with("\xff\xfe") && !rest_.starts_with("\xfe\xff")) return;
  problems_.error({file_, 1, 1}, "the file is in UTF-16; write it in UTF-8");
  rest_ = {};
}

Place ClassicLines::place(std::string_view part) const {
  return {file_, number_, static_cast<int>(part.data() - whole_.data()) + 1};
}

bool ClassicLines::next(ClassicLine& line) {
  line = {};
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  whole_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  const std::string_view text = trimmed(whole_);
  if (text.empty()) return true;
  line.place = place(text);
  line.indented = line.place.column > 1;
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    problems_.error(place(text.substr(zero)), "a zero byte in a conf; is this a text file in UTF-8?");
    line.kind = ClassicLine::Kind::bad;
    rest_ = {};
  } else if (text.front() == '#') {
    line.kind = ClassicLine::Kind::comment;
    line.value = text;
  } else if (text.front() == '[') {
    section(text, line);
  } else if (text.front() == '@') {
    command(text, line);
  } else {
    entry(text, line);
  }
  return true;
}

void ClassicLines::section(std::string_view text, ClassicLine& line) {
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos) {
    problems_.error(place(text), fmt::format("the section header '{}' has no ']'", text.substr(0, kLongestQuote)));
    line.kind = ClassicLine::Kind::bad_section;
    return;
  }
  line.kind = ClassicLine::Kind::section;
  line.key = trimmed(text.substr(1, end - 1));
  const std::string_view behind = trimmed(text.substr(end + 1));
  if (behind.starts_with('#')) {
    line.value = behind;
  } else if (!behind.empty()) {
    problems_.error(place(behind), "nothing may follow a section header on its line");
  }
}

void ClassicLines::command(std::string_view text, ClassicLine& line) {
  const auto [word, rest] = split(text);
  line.kind = ClassicLine::Kind::bad;
  if (same_text(word, "@SET")) {
    const std::size_t equals = rest.find('=');
    line.key = trimmed(rest.substr(0, equals));
    if (equals == std::string_view::npos || line.key.empty()) {
      problems_.error(place(text), "@SET must be followed by NAME=value");
      return;
    }
    line.kind = ClassicLine::Kind::set;
    line.value = trimmed(rest.substr(equals + 1));
    line.value_place = place(line.value.empty() ? rest.substr(equals) : line.value);
  } else if (same_text(word, "@INCLUDE")) {
    if (rest.empty()) {
      problems_.error(place(text), "@INCLUDE must be followed by a path");
      return;
    }
    line.kind = ClassicLine::Kind::include;
    line.value = rest;
    line.value_place = place(rest);
  } else {
    const std::string_view near = nearest(word, kCommands);
    problems_.error(place(text), fmt::format("unknown command '{}'; {}", word.substr(0, kLongestQuote),
                                             near.empty() ? "the known ones are @SET and @INCLUDE"
                                                          : fmt::format("did you mean {}?", near)));
  }
}

void ClassicLines::entry(std::string_view text, ClassicLine& line) {
  const auto [key, value] = split(text);
  line.kind = ClassicLine::Kind::entry;
  line.key = key;
  line.value = value;
  if (const std::string_view why = foreign_key(key); !why.empty()) {
    problems_.error(place(key), fmt::format("'{}' is no key: {}", key.substr(0, kLongestQuote), why));
  } else if (value.empty()) {
    const std::size_t equals = key.find('=');
    const std::string hint = equals == std::string_view::npos
                                 ? std::string()
                                 : fmt::format("; write '{} {}'", key.substr(0, std::min(equals, kLongestQuote)),
                                               key.substr(equals + 1, kLongestQuote));
    problems_.error(place(key), fmt::format("the key '{}' has no value{}", key.substr(0, kLongestQuote), hint));
  } else {
    line.value_place = place(value);
    return;
  }
  line.kind = ClassicLine::Kind::bad;
}

std::optional<Kind> classic_section(std::string_view name) {
  for (std::size_t i = 0; i < kSections.size(); ++i) {
    if (same_text(name, kSections[i])) return kKinds[i];
  }
  return std::nullopt;
}

std::string_view absent_section(std::string_view name) {
  for (const Absent& absent : kAbsent) {
    if (same_text(name, absent.name)) return absent.why;
  }
  return {};
}

std::string classic_section_hint(std::string_view name) {
  const std::string_view near = nearest(name, kSections);
  if (!near.empty()) return fmt::format("did you mean [{}]?", near);
  return fmt::format("the known ones are {}", fmt::join(kSections, ", "));
}

std::optional<ClassicRule> parse_classic_rule(std::string_view value) {
  ClassicRule rule;
  for (std::string& part : rule) {
    std::optional<std::string> word = next_word(value);
    if (!word) return std::nullopt;
    part = std::move(*word);
  }
  if (!trimmed(value).empty()) return std::nullopt;
  return rule;
}

}  // namespace logweir
