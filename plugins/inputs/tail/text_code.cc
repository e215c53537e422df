// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/text_code.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "codec/lines.h"
#include "plugins/inputs/tail/identity.h"
#include "plugins/inputs/tail/options.h"

namespace logweir::tail {

namespace {

constexpr std::string_view kLittleMark = "\xff\xfe";
constexpr std::string_view kBigMark = "\xfe\xff";
constexpr std::size_t kKeptRoom = 1024 * 1024;

const char* find_wide_newline(bool big, const char* from, const char* to, std::uint64_t position) {
  const char* at = from;
  while (const char* found = find_byte(at, to, '\n')) {
    const char* const unit = big ? found - 1 : found;
    const bool even = (position + static_cast<std::uint64_t>(unit - from)) % 2 == 0;
    if (even && unit >= from && to - unit >= 2 && unit[big ? 0 : 1] == '\0') return unit;
    at = found + 1;
  }
  return nullptr;
}

// The start of what follows the last newline in `bytes`, which stand at `position`.
std::optional<std::size_t> last_line(TextCode code, std::string_view bytes, std::uint64_t position) {
  if (!is_wide(code)) {
    const std::size_t newline = bytes.rfind('\n');
    return newline == std::string_view::npos ? std::nullopt : std::optional(newline + 1);
  }
  std::optional<std::size_t> found;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while ((at = find_newline(code, at, end, position + static_cast<std::uint64_t>(at - bytes.data()))) != nullptr) {
    at += 2;
    found = static_cast<std::size_t>(at - bytes.data());
  }
  return found;
}

}  // namespace

const char* find_newline(TextCode code, const char* from, const char* to, std::uint64_t position) {
  if (!is_wide(code)) return logweir::find_newline(from, to);
  return find_wide_newline(code == TextCode::utf16be, from, to, position);
}

std::uint64_t line_start(TextCode code, int fd, std::uint64_t at) {
  constexpr std::uint64_t kFurthest = 64 * 1024;
  char bytes[4096];
  if (is_wide(code)) at -= at % 2;
  for (std::uint64_t end = at; end > 0 && at - end < kFurthest;) {
    const std::size_t size = std::min<std::uint64_t>(sizeof bytes, end);
    if (read_at(fd, bytes, size, end - size) < size) return at;
    if (const auto found = last_line(code, {bytes, size}, end - size)) return end - size + *found;
    end -= size;
    if (end == 0) return 0;
  }
  return at;
}

std::optional<TextCode> code_of(const TailOptions& options, std::string_view content) {
  if (!options.generic_encoding.empty()) return TextCode::legacy;
  switch (options.unicode_encoding) {
    case UnicodeEncoding::none:
      return TextCode::utf8;
    case UnicodeEncoding::utf16le:
      return TextCode::utf16le;
    case UnicodeEncoding::utf16be:
      return TextCode::utf16be;
    case UnicodeEncoding::automatic:
      break;
  }
  if (content.starts_with(kLittleMark)) return TextCode::utf16le;
  if (content.starts_with(kBigMark)) return TextCode::utf16be;
  const bool may_be_mark = content.empty() || content == kLittleMark.substr(0, 1) || content == kBigMark.substr(0, 1);
  return may_be_mark ? std::nullopt : std::optional(TextCode::utf8);
}

bool decodes(const TailOptions& options) {
  return !options.generic_encoding.empty() || options.unicode_encoding != UnicodeEncoding::none;
}

std::optional<TextCode> code_at(const TailOptions& options, int fd) {
  if (!decodes(options)) return TextCode::utf8;
  char bytes[2];
  return code_of(options, {bytes, read_at(fd, bytes, sizeof bytes, 0)});
}

Result<std::unique_ptr<Decoding>> Decoding::make(const TailOptions& options) {
  auto made = std::make_unique<Decoding>(options);
  const auto load = [](std::unique_ptr<Charset>& to, std::string_view name) -> Status {
    auto charset = Charset::make(name);
    if (!charset.ok()) return charset.status();
    to = std::move(charset).value();
    return {};
  };
  const UnicodeEncoding unicode = options.unicode_encoding;
  Status status;
  if (!options.generic_encoding.empty()) status = load(made->legacy_, options.generic_encoding);
  if (status.ok() && unicode != UnicodeEncoding::none) status = load(made->little_, "UTF-16LE");
  if (status.ok() && unicode != UnicodeEncoding::none) status = load(made->big_, "UTF-16BE");
  if (!status.ok()) return status;
  return made;
}

void Decoding::begin(TextCode code, std::size_t bytes) {
  code_ = code;
  size_ = 0;
  const std::size_t want = Charset::bound(bytes) + bytes + 16;
  if (want <= room_ && (room_ <= kKeptRoom || want > kKeptRoom)) return;
  texts_.reset();
  texts_ = std::make_unique_for_overwrite<char[]>(want);
  room_ = want;
}

std::string_view Decoding::decode(std::string_view line, bool cut) {
  LW_CHECK(Charset::bound(line.size()) + 1 <= room_ - size_);
  Charset& charset = code_ == TextCode::utf16le ? *little_ : code_ == TextCode::utf16be ? *big_ : *legacy_;
  char* const begin = texts_.get() + size_;
  char* const end = charset.decode(line, cut, begin);
  *end = '\n';
  size_ += static_cast<std::size_t>(end - begin) + 1;
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::uint64_t Decoding::replaced() const {
  std::uint64_t sum = 0;
  for (const auto* charset : {little_.get(), big_.get(), legacy_.get()}) {
    if (charset != nullptr) sum += charset->replaced();
  }
  return sum;
}

}  // namespace logweir::tail
