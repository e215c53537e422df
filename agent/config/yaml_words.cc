// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_words.h"

#include <algorithm>

#include "config/words.h"

namespace logweir {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

bool is_null_word(std::string_view text) { return same_text(text, "null") || text == "~"; }

// Without a sign that could mean something in any place that a value may stand in.
bool is_plain(std::string_view text) {
  if (text.empty() || is_null_word(text) || text.starts_with("...")) return false;
  if (!is_word_char(text.front()) && text.front() != '/' && text.front() != '$') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_word_char(c) || std::string_view("/$-+=*()^~%").find(c) != std::string_view::npos) continue;
    const bool ends_word = i + 1 == text.size() || text[i + 1] == ' ';
    if (c == ' ' && !ends_word) continue;
    if (c == ':' && !ends_word) continue;
    if ((c == '{' && text[i - 1] == '$') || c == '}') continue;
    return false;
  }
  return text.back() != ' ';
}

bool is_one_line(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7f;
  });
}

}  // namespace

std::string yaml_value(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  if (!is_one_line(text)) return in_quotes(text);
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + '\'';
}

std::string yaml_key(std::string_view text) {
  const bool plain = !text.empty() && !is_null_word(text) && std::all_of(text.begin(), text.end(), is_word_char);
  return plain && !text.starts_with("...") ? std::string(text) : in_quotes(text);
}

std::string yaml_comment(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return out;
}

}  // namespace logweir
