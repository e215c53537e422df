// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/glob.h"

#include <algorithm>

namespace logweir::tail {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

// Whether the set that opens at pattern[at] ('[') takes `c`; `at` moves past it. A set that does not close is a '['.
bool match_set(std::string_view pattern, std::size_t& at, char c) {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool taken = false;
  const std::size_t first = i;
  const auto value = [](char x) { return static_cast<unsigned char>(x); };
  for (; i < pattern.size() && (pattern[i] != ']' || i == first); ++i) {
    const char from = pattern[i];
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      taken = taken || (value(from) <= value(c) && value(c) <= value(pattern[i + 2]));
      i += 2;
    } else {
      taken = taken || from == c;
    }
  }
  if (i >= pattern.size()) {
    ++at;
    return c == '[';
  }
  at = i + 1;
  return taken != negated;
}

// One step: whether pattern[at] takes `c`; `at` moves past it.
bool match_one(std::string_view pattern, std::size_t& at, char c) {
  switch (pattern[at]) {
    case '?':
      ++at;
      return true;
    case '[':
      return match_set(pattern, at, c);
    case '\\':
      if (at + 1 < pattern.size()) ++at;
      [[fallthrough]];
    default:
      return pattern[at++] == c;
  }
}

// With one point to come back to (the last star): at most |pattern| * |text| steps.
bool match_text(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = kNone, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    std::size_t next = p;
    if (p < pattern.size() && match_one(pattern, next, text[t])) {
      p = next;
      ++t;
      continue;
    }
    if (star == kNone) return false;
    p = star + 1;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

PathPattern::Part part_of(std::string_view text) {
  using Kind = PathPattern::Part::Kind;
  if (text == "**") return {Kind::deep, std::string(text)};
  bool wild = false;
  for (std::size_t i = 0; i < text.size() && !wild; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else {
      wild = text[i] == '*' || text[i] == '?' || text[i] == '[';
    }
  }
  return wild ? PathPattern::Part{Kind::wild, std::string(text)}
              : PathPattern::Part{Kind::literal, without_escapes(text)};
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (!part.empty() && part != ".") out.push_back(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

bool part_takes(const PathPattern::Part& part, std::string_view name) {
  return part.kind == PathPattern::Part::Kind::literal ? part.text == name : match_name(part.text, name);
}

}  // namespace

bool match_name(std::string_view pattern, std::string_view name) {
  if (name.starts_with('.') && !pattern.starts_with('.') && !pattern.starts_with("\\.")) return false;
  return match_text(pattern, name);
}

bool match_across(std::string_view pattern, std::string_view path) { return match_text(pattern, path); }

PathPattern::PathPattern(std::string_view text, std::string_view directory) {
  std::string whole = text.starts_with('/') ? std::string(text) : std::string(directory) + "/" + std::string(text);
  for (const std::string_view part : split(whole)) {
    if (part == "**" && !parts_.empty() && parts_.back().kind == Part::Kind::deep) continue;
    parts_.push_back(part_of(part));
  }
  // "a/**" means the files below a.
  if (!parts_.empty() && parts_.back().kind == Part::Kind::deep) parts_.push_back({Part::Kind::wild, "*"});
}

bool PathPattern::has_wildcards() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.kind != Part::Kind::literal; });
}

// The same walk as for stars in a name: `**` is the only thing to come back to.
bool PathPattern::fits(std::string_view path, bool whole) const {
  const std::vector<std::string_view> names = split(path);
  std::size_t p = 0, n = 0, deep = kNone, deep_name = 0;
  while (n < names.size()) {
    if (p < parts_.size() && parts_[p].kind == Part::Kind::deep) {
      deep = p++;
      deep_name = n;
      continue;
    }
    // A directory has to leave at least one part for what is in it.
    if (p < parts_.size() && (whole || p + 1 < parts_.size()) && part_takes(parts_[p], names[n])) {
      ++p;
      ++n;
      continue;
    }
    if (deep == kNone || names[deep_name].starts_with('.')) return false;
    p = deep + 1;
    n = ++deep_name;
  }
  return !whole || p == parts_.size();
}

}  // namespace logweir::tail
