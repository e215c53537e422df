// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/raw.h"

namespace logweir {

// Value. One line of a classic conf, cut into its parts; all views look into the text.
struct ClassicLine {
  enum class Kind { blank, comment, section, entry, set, include, bad_section, bad };
  Kind kind = Kind::blank;
  Place place;             // of its first sign
  bool indented = false;   // blanks stand before it
  std::string_view key;    // a section's or entry's name, the variable of @SET
  std::string_view value;  // of an entry, @SET or @INCLUDE; a comment from its '#', also one behind a section's header
  Place value_place;
};

// Resource. Cuts a text into lines, one after the other. What is no line of the format is told and comes as `bad`.
// Any thread; `text` and `problems` outlive it.
class ClassicLines {
 public:
  ClassicLines(std::string_view text, std::shared_ptr<const std::string> file, Problems& problems);

  // False at the end, or behind a fault after which nothing would make sense.
  bool next(ClassicLine& line);

 private:
  [[nodiscard]] Place place(std::string_view part) const;  // a view into the line at hand
  void section(std::string_view text, ClassicLine& line);
  void command(std::string_view text, ClassicLine& line);
  void entry(std::string_view text, ClassicLine& line);

  std::string_view rest_;
  std::string_view whole_;  // the line at hand
  std::shared_ptr<const std::string> file_;
  Problems& problems_;
  int number_ = 0;
};

// What a section's name means; nothing for one that is not known.
std::optional<RawItem::Kind> classic_section(std::string_view name);
// Why a section that Fluent Bit knows is passed over here; empty for any other.
std::string_view absent_section(std::string_view name);
// The sentence's end for a section that nobody knows.
std::string classic_section_hint(std::string_view name);

// Value. The three texts of a multi-line parser's rule: "state" "/regex/" "next state".
constexpr std::array<std::string_view, 3> kRuleKeys = {"state", "regex", "next_state"};
using ClassicRule = std::array<std::string, 3>;
std::optional<ClassicRule> parse_classic_rule(std::string_view value);

}  // namespace logweir
