// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/ui_page.h"

namespace logweir {

namespace {

unsigned digit(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); }

}  // namespace

std::string base64_of_hex(std::string_view hex) {
  static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  // Three digits are two letters.
  for (std::size_t i = 0; i < hex.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t j = i; j < i + 3; ++j) bits = bits * 16 + (j < hex.size() ? digit(hex[j]) : 0);
    out += kLetters[bits >> 6];
    if (i + 1 < hex.size()) out += kLetters[bits & 63];
  }
  while (out.size() % 4 != 0) out += '=';
  return out;
}

HttpAnswer ui_answer() {
  const UiPage& page = ui_page();
  HttpAnswer answer;
  answer.type = "text/html; charset=utf-8";
  answer.body = page.html;
  answer.headers = fmt::format(
      "Content-Security-Policy: default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; "
      "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-cache\r\n",
      base64_of_hex(page.script_hash), base64_of_hex(page.style_hash));
  return answer;
}

}  // namespace logweir
