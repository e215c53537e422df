// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/framing.h"

#include <algorithm>

#include "codec/lines.h"

namespace logweir::tail {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// At most `limit` bytes, without half a UTF-8 character at the end.
std::string_view cut_text(std::string_view text, std::uint64_t limit) {
  text = text.substr(0, limit);
  std::size_t end = text.size();
  for (int back = 0; back < 3 && end > 0; ++back) {
    const auto c = static_cast<unsigned char>(text[end - 1]);
    if (c < 0x80) return text;
    --end;
    if (c < 0xc0) continue;  // inside a character
    const int size = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    return back + 1 < size ? text.substr(0, end) : text;
  }
  return text;
}

}  // namespace

void frame_line(Batch& batch, const Line& line, Nanos now, const LineRules& rules, Framed& framed) {
  std::string_view text = line.text;
  std::uint64_t whole = line.whole;
  if (text.size() == whole && text.ends_with('\r')) {
    text.remove_suffix(1);
    --whole;
  }
  if (line.position == 0 && text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
    whole -= kByteOrderMark.size();
  }
  if (whole == 0 && rules.skip_empty) return;
  std::uint8_t flags = 0;
  if (whole > rules.limit) {
    if (rules.skip_long) {
      ++framed.dropped;
      return;
    }
    text = cut_text(text, rules.limit);
    flags = Record::kTruncated;
    ++framed.cut;
  }
  Record& record = batch.records.emplace_back();
  record.time = now;
  record.data = text.data();
  record.size = static_cast<std::uint32_t>(text.size());
  record.span = static_cast<std::uint32_t>(std::min<std::uint64_t>(line.span, UINT32_MAX));
  record.position = line.position;
  record.body = Body::text;
  record.flags = flags;
  batch.bytes += text.size();
}

Framed frame_lines(Batch& batch, std::string_view window, std::uint64_t position, Nanos now, const LineRules& rules) {
  Framed framed;
  const char* const begin = window.data();
  const char* const end = begin + window.size();
  const char* at = begin;
  while (const char* newline = find_newline(at, end)) {
    const auto size = static_cast<std::size_t>(newline - at);
    const auto offset = static_cast<std::uint64_t>(at - begin);
    frame_line(batch, {{at, size}, size, size + 1, position + offset}, now, rules, framed);
    at = newline + 1;
  }
  framed.used = static_cast<std::size_t>(at - begin);
  return framed;
}

}  // namespace logweir::tail
