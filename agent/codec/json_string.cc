// SPDX-License-Identifier: Apache-2.0
#include "codec/hex.h"
#include "codec/json_scan.h"
#include "codec/key_bits.h"
#include "codec/utf8.h"

namespace logweir {

namespace {

unsigned hex4(std::string_view text, std::size_t at) {
  unsigned value = 0;
  for (std::size_t i = at; i < at + 4 && i < text.size(); ++i)
    value = value << 4 | static_cast<unsigned>(hex_digit(text[i]));
  return value;
}

void append_utf8(std::string& out, unsigned c) {
  const auto tail = [&out, c](int shift) { out.push_back(static_cast<char>(0x80 | (c >> shift & 0x3F))); };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | c >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// The \uXXXX, or pair of them, at `at`; returns what is behind.
std::size_t unescape_unit(std::string_view text, std::size_t at, std::string& out) {
  const unsigned unit = hex4(text, at + 2);
  at += 6;
  if (unit < 0xD800 || unit > 0xDFFF) {
    append_utf8(out, unit);
    return at;
  }
  if (unit < 0xDC00 && text.size() - at >= 6 && text[at] == '\\' && text[at + 1] == 'u') {
    const unsigned low = hex4(text, at + 2);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
      return at + 6;
    }
  }
  out.append(kReplacement, kReplacementSize);
  return at;
}

char unescaped(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

}  // namespace

void unescape_json(std::string_view inside, std::string& out) {
  for (std::size_t at = 0; at < inside.size();) {
    const std::size_t slash = inside.find('\\', at);
    if (slash == std::string_view::npos || slash + 1 >= inside.size()) {
      out.append(inside.substr(at));
      return;
    }
    out.append(inside.substr(at, slash - at));
    if (inside[slash + 1] != 'u') {
      out.push_back(unescaped(inside[slash + 1]));
      at = slash + 2;
    } else if (inside.size() - slash >= 6) {
      at = unescape_unit(inside, slash, out);
    } else {
      return;
    }
  }
}

bool json_equals(std::string_view inside, std::string_view raw) {
  if (inside.find('\\') == std::string_view::npos) return inside == raw;
  std::string text;
  unescape_json(inside, text);
  return text == raw;
}

std::uint64_t hash_escaped_key(std::string_view inside) {
  std::string text;
  unescape_json(inside, text);
  return hash_key(text);
}

}  // namespace logweir
