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

struct Trim {
  std::string_view back;   // a carriage return in front of the newline
  std::string_view front;  // a byte order mark at the start of the file
};

void trim(const Trim& trim, std::uint64_t position, std::string_view& text, std::uint64_t& whole) {
  if (text.size() == whole && text.ends_with(trim.back)) {
    text.remove_suffix(trim.back.size());
    whole -= trim.back.size();
  }
  if (position == 0 && text.starts_with(trim.front)) {
    text.remove_prefix(trim.front.size());
    whole -= trim.front.size();
  }
}

Trim trim_of(TextCode code) {
  switch (code) {
    case TextCode::utf16le:
      return {{"\r\0", 2}, "\xff\xfe"};
    case TextCode::utf16be:
      return {{"\0\r", 2}, "\xfe\xff"};
    case TextCode::legacy:
      return {"\r", ""};
    case TextCode::utf8:
      break;
  }
  return {"\r", kByteOrderMark};
}

std::string_view decoded(std::string_view text, const LineRules& rules, bool cut, Decoding& decoding) {
  if (cut) text = text.substr(0, rules.limit - rules.limit % newline_size(decoding.code()));
  return decoding.decode(text, cut);
}

}  // namespace

void frame_line(Batch& batch, const Line& line, Nanos now, const LineRules& rules, Framed& framed, Decoding* decoding) {
  std::string_view text = line.text;
  std::uint64_t whole = line.whole;
  if (decoding != nullptr) {
    trim(trim_of(decoding->code()), line.position, text, whole);
  } else {
    // By hand: this is done to every line there is.
    if (text.size() == whole && text.ends_with('\r')) {
      text.remove_suffix(1);
      --whole;
    }
    if (line.position == 0 && text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
      whole -= kByteOrderMark.size();
    }
  }
  if (whole == 0 && rules.skip_empty) return;
  const bool cut = whole > rules.limit;
  if (cut && rules.skip_long) {
    ++framed.dropped;
    return;
  }
  if (decoding != nullptr) {
    text = decoded(text, rules, cut, *decoding);
  } else if (cut) {
    text = cut_text(text, rules.limit);
  }
  if (cut) ++framed.cut;
  Record& record = batch.records.emplace_back();
  record.time = now;
  record.data = text.data();
  record.size = static_cast<std::uint32_t>(text.size());
  record.span = static_cast<std::uint32_t>(std::min<std::uint64_t>(line.span, UINT32_MAX));
  record.position = line.position;
  record.body = Body::text;
  record.flags = cut ? std::uint8_t{Record::kTruncated} : std::uint8_t{0};
  batch.bytes += text.size();
}

namespace {

Framed frame_decoded(Batch& batch, std::string_view window, std::uint64_t position, Nanos now, const LineRules& rules,
                     Decoding& decoding) {
  Framed framed;
  const TextCode code = decoding.code();
  const char* const begin = window.data();
  const char* const end = begin + window.size();
  const char* at = begin;
  std::uint64_t stands = position;
  while (const char* newline = find_newline(code, at, end, stands)) {
    const auto size = static_cast<std::size_t>(newline - at);
    const std::size_t span = size + newline_size(code);
    frame_line(batch, {{at, size}, size, span, stands}, now, rules, framed, &decoding);
    at += span;
    stands += span;
  }
  framed.used = static_cast<std::size_t>(at - begin);
  return framed;
}

}  // namespace

Framed frame_lines(Batch& batch, std::string_view window, std::uint64_t position, Nanos now, const LineRules& rules,
                   Decoding* decoding) {
  if (decoding != nullptr) return frame_decoded(batch, window, position, now, rules, *decoding);
  Framed framed;
  const char* const begin = window.data();
  const char* const end = begin + window.size();
  const char* at = begin;
  while (const char* newline = logweir::find_newline(at, end)) {
    const auto size = static_cast<std::size_t>(newline - at);
    const auto offset = static_cast<std::uint64_t>(at - begin);
    frame_line(batch, {{at, size}, size, size + 1, position + offset}, now, rules, framed);
    at = newline + 1;
  }
  framed.used = static_cast<std::size_t>(at - begin);
  return framed;
}

}  // namespace logweir::tail
