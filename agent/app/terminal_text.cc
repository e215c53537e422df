// SPDX-License-Identifier: Apache-2.0
#include "app/terminal_text.h"

#include "app/cli_text.h"
#include "metrics/text.h"

namespace logweir {

namespace {

bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

std::string terminal_text(std::string_view bytes) {
  const std::string good = tame(metric_text(bytes));
  std::string out;
  for (std::size_t i = 0; i < good.size(); ++i) {
    // U+0080 to U+009F are control characters too; some terminals obey them.
    const bool control = good[i] == '\xC2' && i + 1 < good.size() && static_cast<unsigned char>(good[i + 1]) < 0xA0;
    if (control) ++i;
    out += control ? '?' : good[i];
  }
  return out;
}

std::string in_column(std::string_view text, std::size_t width, bool to_the_right) {
  std::size_t letters = 0;
  std::size_t cut = 0;  // behind the last letter but one that fits
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!begins_letter(text[at])) continue;
    if (letters == width) break;
    if (letters + 1 == width) cut = at;
    ++letters;
  }
  if (at < text.size()) return width == 0 ? std::string() : std::string(text.substr(0, cut)) + "~";
  const std::string blanks(width - letters, ' ');
  return to_the_right ? blanks + std::string(text) : std::string(text) + blanks;
}

}  // namespace logweir
