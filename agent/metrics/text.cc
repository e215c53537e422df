// SPDX-License-Identifier: Apache-2.0
#include "metrics/text.h"

#include <algorithm>

namespace logweir {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Lead {
  std::size_t more = 0;      // continuation bytes wanted; 0: no lead byte of a longer sequence
  unsigned char low = 0x80;  // bounds of the first of them, which exclude overlong forms and surrogates
  unsigned char high = 0xBF;
};

Lead lead_of(unsigned char c) {
  if (c >= 0xC2 && c <= 0xDF) return {1};
  if (c == 0xE0) return {2, 0xA0};
  if (c == 0xED) return {2, 0x80, 0x9F};
  if (c >= 0xE1 && c <= 0xEF) return {2};
  if (c == 0xF0) return {3, 0x90};
  if (c >= 0xF1 && c <= 0xF3) return {3};
  if (c == 0xF4) return {3, 0x80, 0x8F};
  return {};
}

struct Step {
  std::size_t length;
  bool good;
};

// The well-formed character at the front of `bytes`, or the longest part of one that began there.
Step step(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (first < 0x80) return {1, first != 0};
  const Lead lead = lead_of(first);
  std::size_t length = 1;
  unsigned char low = lead.low;
  unsigned char high = lead.high;
  while (length <= lead.more && length < bytes.size()) {
    const auto c = static_cast<unsigned char>(bytes[length]);
    if (c < low || c > high) break;
    low = 0x80;
    high = 0xBF;
    ++length;
  }
  return {length, lead.more != 0 && length == lead.more + 1};
}

bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

}  // namespace

std::string metric_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const Step next = step(bytes);
    text += next.good ? bytes.substr(0, next.length) : kReplacement;
    bytes.remove_prefix(next.length);
  }
  return text;
}

std::string metric_help(std::string_view text) {
  std::string escaped;
  for (const char c : metric_text(text)) {
    if (c == '\\') {
      escaped += "\\\\";
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string metric_name(std::string_view name) {
  std::string valid(name);
  std::replace_if(valid.begin(), valid.end(), [](char c) { return !name_char(c); }, '_');
  if (valid.empty() || (valid[0] >= '0' && valid[0] <= '9')) valid.insert(valid.begin(), '_');
  return valid;
}

}  // namespace logweir
