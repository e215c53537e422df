// SPDX-License-Identifier: Apache-2.0
// The classic format, line by line:
//   file    = { blank | comment | section | entry | command }
//   section = blanks "[" name "]" blanks          name in any case
//   entry   = blanks key blank {blank} value      the value is the rest of the line, trimmed; no quotes, no comments
//   comment = blanks "#" ...
//   command = "@SET" blank name "=" value | "@INCLUDE" blank path
// Blanks are spaces and tabs in any mix; how deep an entry is indented does not matter.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "config/raw.h"
#include "config/schema.h"
#include "config/words.h"

namespace logweir {
namespace {

using Kind = RawItem::Kind;

struct SectionName {
  std::string_view name;
  Kind kind;
};
constexpr std::array<SectionName, 6> kSections = {{{"SERVICE", Kind::service},
                                                   {"INPUT", Kind::input},
                                                   {"FILTER", Kind::filter},
                                                   {"OUTPUT", Kind::output},
                                                   {"PARSER", Kind::parser},
                                                   {"MULTILINE_PARSER", Kind::multiline_parser}}};
constexpr std::array<std::string_view, 6> kSectionWords = {"SERVICE", "INPUT",  "FILTER",
                                                           "OUTPUT",  "PARSER", "MULTILINE_PARSER"};
constexpr std::array<std::string_view, 5> kAbsentSections = {"CUSTOM", "STREAM_TASK", "PLUGINS", "UPSTREAM", "NODE"};
constexpr std::array<std::string_view, 2> kCommands = {"@SET", "@INCLUDE"};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

class Lines {
 public:
  Lines(std::shared_ptr<const std::string> file, Problems& problems) : file_(std::move(file)), problems_(problems) {}

  void line(std::string_view whole) {
    ++number_;
    whole_ = whole;
    const std::string_view text = trimmed(whole);
    if (text.empty() || text.front() == '#') return;
    if (text.find('\0') != std::string_view::npos) {
      problems_.error(place(text), "a zero byte in a conf; is this a text file in UTF-8?");
    } else if (text.front() == '[') {
      section(text);
    } else if (text.front() == '@') {
      command(text);
    } else {
      entry(text);
    }
  }

  [[nodiscard]] bool full() {
    if (nodes_ <= kMostConfNodes) return false;
    problems_.error({file_, number_, 1}, fmt::format("more than {} entries in one file", kMostConfNodes));
    return true;
  }

  RawConf take() { return std::move(conf_); }

 private:
  // `part` is a view into the line
  [[nodiscard]] Place place(std::string_view part) const {
    return {file_, number_, static_cast<int>(part.data() - whole_.data()) + 1};
  }

  void section(std::string_view text) {
    skipping_ = true;  // whatever follows a bad header is not an error of its own
    current_.reset();
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) {
      problems_.error(place(text), fmt::format("the section header '{}' has no ']'", text.substr(0, 80)));
      return;
    }
    const std::string_view behind = trimmed(text.substr(end + 1));
    if (!behind.empty() && behind.front() != '#') {
      problems_.error(place(behind), "nothing may follow a section header on its line");
    }
    begin(trimmed(text.substr(1, end - 1)), place(text));
  }

  void begin(std::string_view name, Place where) {
    for (const SectionName& known : kSections) {
      if (!same_text(name, known.name)) continue;
      ++nodes_;
      Node node;
      node.kind = Node::Kind::map;
      node.place = std::move(where);
      conf_.push_back({known.kind, {}, std::move(node)});
      current_ = conf_.size() - 1;
      skipping_ = false;
      return;
    }
    if (is_known_key(name, kAbsentSections)) {
      problems_.warning(std::move(where),
                        fmt::format("section [{}] of Fluent Bit is not built here; it is ignored", name));
      return;
    }
    const std::string_view near = nearest(name, kSectionWords);
    const std::string hint = near.empty() ? fmt::format("the known ones are {}", fmt::join(kSectionWords, ", "))
                                          : fmt::format("did you mean [{}]?", near);
    problems_.error(std::move(where), fmt::format("unknown section [{}]; {}", name.substr(0, 80), hint));
  }

  struct Pair {
    std::string_view key;
    std::string_view value;
  };
  static Pair split(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && !is_blank(text[end])) ++end;
    return {text.substr(0, end), trimmed(text.substr(end))};
  }

  [[nodiscard]] Node scalar(std::string_view value) {
    ++nodes_;
    Node node;
    node.scalar = value;
    node.place = place(value);
    return node;
  }

  void command(std::string_view text) {
    const auto [word, rest] = split(text);
    if (same_text(word, "@SET")) {
      const std::size_t equals = rest.find('=');
      const std::string_view name = trimmed(rest.substr(0, equals));
      if (equals == std::string_view::npos || name.empty()) {
        problems_.error(place(text), "@SET must be followed by NAME=value");
        return;
      }
      conf_.push_back({Kind::env, std::string(name), scalar(trimmed(rest.substr(equals + 1)))});
    } else if (same_text(word, "@INCLUDE")) {
      if (rest.empty()) {
        problems_.error(place(text), "@INCLUDE must be followed by a path");
        return;
      }
      conf_.push_back({Kind::include, {}, scalar(rest)});
    } else {
      const std::string_view near = nearest(word, kCommands);
      problems_.error(place(text), fmt::format("unknown command '{}'; {}", word.substr(0, 80),
                                               near.empty() ? "the known ones are @SET and @INCLUDE"
                                                            : fmt::format("did you mean {}?", near)));
    }
  }

  void entry(std::string_view text) {
    const auto [key, value] = split(text);
    if (skipping_) return;
    if (!current_) {
      problems_.error(place(text), fmt::format("'{}' stands before the first section, such as [SERVICE] or [INPUT]",
                                               key.substr(0, 80)));
      return;
    }
    if (value.empty()) {
      problems_.error(place(key), fmt::format("the key '{}' has no value", key.substr(0, 80)));
      return;
    }
    Node& node = conf_[*current_].node;
    node.key_places.push_back(place(key));
    node.entries.emplace_back(std::string(key), scalar(value));
  }

  std::shared_ptr<const std::string> file_;
  Problems& problems_;
  RawConf conf_;
  std::string_view whole_;              // the line at hand
  std::optional<std::size_t> current_;  // the open section, an index into conf_
  bool skipping_ = false;
  int number_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

RawConf read_classic(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems) {
  Lines lines(file, problems);
  while (!text.empty() && !lines.full()) {
    const std::size_t end = text.find('\n');
    lines.line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines.take();
}

}  // namespace logweir
