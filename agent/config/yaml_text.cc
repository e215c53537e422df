// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace logweir {
namespace {

// The number in front of `text` when it begins with \uXXXX.
std::optional<unsigned> escape_at(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, value, 16);
  if (error != std::errc() || end != text.data() + 6) return std::nullopt;
  return value;
}

}  // namespace

bool is_yaml_text(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    problems.error({file, 1, 1}, "the file is in UTF-16; write it in UTF-8");
    return false;
  }
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++line;
      line_start = i + 1;
    } else if (byte < 0x20 && byte != '\t' && byte != '\r') {
      problems.error({file, line, static_cast<int>(i - line_start) + 1},
                     fmt::format("byte 0x{:02x} can't stand in YAML; write it as \"\\x{:02x}\" in double quotes "
                                 "(and the file in UTF-8)",
                                 byte, byte));
      return false;
    }
  }
  return true;
}

std::string with_joined_surrogates(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    const std::optional<unsigned> high = escape_at(text.substr(at));
    const std::optional<unsigned> low = high ? escape_at(text.substr(at + 6)) : std::nullopt;
    const bool pair = low && *high >= 0xd800 && *high < 0xdc00 && *low >= 0xdc00 && *low < 0xe000;
    if (!pair) {
      at += 2;  // whatever is escaped here is not the start of another escape
      continue;
    }
    out.append(text, copied, at - copied);
    out += fmt::format("\\U{:08x}", 0x10000 + ((*high - 0xd800) << 10) + (*low - 0xdc00));
    at += 12;
    copied = at;
  }
  return out.append(text, copied);
}

}  // namespace logweir
