// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace logweir::tail {

// Whether `name` (one component, no '/') matches: * ? [a-z] [!a-z] and \ for the next character itself. A leading dot
// is matched only by a dot, as in the shell.
bool match_name(std::string_view pattern, std::string_view name);
// The same over a whole path; * and ? take '/' and dots as well (exclude_path).
bool match_across(std::string_view pattern, std::string_view path);

// Value. One configured path: components from the root, each literal, with wildcards, or `**` (any number of
// directories, none included).
class PathPattern {
 public:
  struct Part {
    enum class Kind : unsigned char { literal, wild, deep };
    Kind kind = Kind::literal;
    std::string text;  // literal: without escapes
  };

  // Relative patterns are taken from `directory`.
  PathPattern(std::string_view text, std::string_view directory);

  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  [[nodiscard]] bool matches(std::string_view path) const { return fits(path, true); }
  // Whether a directory, or a link to one, of this path may lead to matches.
  [[nodiscard]] bool leads_on(std::string_view path) const { return fits(path, false); }
  [[nodiscard]] bool has_wildcards() const;

 private:
  [[nodiscard]] bool fits(std::string_view path, bool whole) const;
  std::vector<Part> parts_;
};

}  // namespace logweir::tail
