// SPDX-License-Identifier: Apache-2.0
#include "app/redact.h"

#include <algorithm>
#include <cstring>

#include "codec/json_scan.h"

namespace logweir {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Behind the string whose opening quote is at `at`.
std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return std::min(at + 1, json.size());
}

// Behind the value that begins at `at`.
std::size_t value_end(std::string_view json, std::size_t at) {
  std::size_t depth = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (c == '"') {
      at = string_end(json, at);
      if (depth == 0) return at;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    ++at;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return at;
}

bool is_one_of(std::string_view inside, const std::vector<std::string>& keys) {
  std::string key;
  unescape_json(inside, key);
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& other) {
    return other.size() == key.size() && ::strncasecmp(other.data(), key.data(), key.size()) == 0;
  });
}

}  // namespace

std::string redacted(std::string_view json, const std::vector<std::string>& keys) {
  std::string out;
  std::size_t at = 0;
  while (at < json.size()) {
    if (json[at] != '"') {
      out += json[at++];
      continue;
    }
    const std::size_t begin = at;
    at = string_end(json, at);
    out.append(json.substr(begin, at - begin));
    std::size_t next = at;
    while (next < json.size() && is_blank(json[next])) ++next;
    const bool is_key = next < json.size() && json[next] == ':';
    if (!is_key || !is_one_of(json.substr(begin + 1, at - begin - 2), keys)) continue;
    ++next;
    while (next < json.size() && is_blank(json[next])) ++next;
    out += ":\"***\"";
    at = value_end(json, next);
  }
  return out;
}

}  // namespace logweir
