// SPDX-License-Identifier: Apache-2.0
#include "codec/charset.h"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "codec/utf8.h"
#include "config/schema.h"

namespace logweir {

namespace {

struct Name {
  std::string_view word;  // Fluent Bit's
  const char* system;     // glibc's
};

// Windows' form of Shift JIS: the one that files have, and whose first half is ASCII.
constexpr std::array kNames = {
    Name{"ShiftJIS", "CP932"},  Name{"SJIS", "CP932"},        Name{"UHC", "UHC"},           Name{"GBK", "GBK"},
    Name{"GB18030", "GB18030"}, Name{"Big5", "BIG5"},         Name{"Win866", "CP866"},      Name{"Win874", "CP874"},
    Name{"Win1250", "CP1250"},  Name{"Win1251", "CP1251"},    Name{"Win1252", "CP1252"},    Name{"Win1253", "CP1253"},
    Name{"Win1254", "CP1254"},  Name{"Win1255", "CP1255"},    Name{"Win1256", "CP1256"},    Name{"Win1257", "CP1257"},
    Name{"Win1258", "CP1258"},  Name{"UTF-16LE", "UTF-16LE"}, Name{"UTF-16BE", "UTF-16BE"},
};

const Name* find(std::string_view word) {
  const auto* const found =
      std::find_if(kNames.begin(), kNames.end(), [&](const Name& name) { return same_key(word, name.word); });
  return found == kNames.end() ? nullptr : found;
}

char* put_replacement(char* out) {
  std::memcpy(out, kReplacement, kReplacementSize);
  return out + kReplacementSize;
}

}  // namespace

bool Charset::is_known(std::string_view name) { return find(name) != nullptr; }

Result<std::unique_ptr<Charset>> Charset::make(std::string_view name) {
  const Name* const known = find(name);
  if (known == nullptr) {
    return Status(Code::invalid, fmt::format("{} is not an encoding; known are {}.", name, kCharsetWords));
  }
  const iconv_t converter = iconv_open("UTF-8", known->system);
  if (converter == reinterpret_cast<iconv_t>(-1)) {  // NOLINT(performance-no-int-to-ptr): iconv's own word for none
    return Status(Code::invalid, fmt::format("this system can't convert {} ({}): {}. glibc's gconv modules are needed.",
                                             known->word, known->system, std::strerror(errno)));
  }
  const std::size_t unit = known->word.starts_with("UTF-16") ? 2 : 1;
  return std::unique_ptr<Charset>(new Charset(converter, unit));
}

Charset::~Charset() { iconv_close(static_cast<iconv_t>(converter_)); }

char* Charset::decode(std::string_view in, bool cut, char* out) {
  auto* const converter = static_cast<iconv_t>(converter_);
  iconv(converter, nullptr, nullptr, nullptr, nullptr);
  char* from = const_cast<char*>(in.data());  // iconv's signature; it writes nothing there
  std::size_t left = in.size();
  std::size_t room = bound(in.size());
  while (left > 0) {
    if (iconv(converter, &from, &left, &out, &room) != static_cast<std::size_t>(-1)) break;
    const bool half = errno == EINVAL;
    if ((half && cut) || errno == E2BIG || room < kReplacementSize) break;
    const std::size_t skip = half ? left : std::min(left, unit_);
    out = put_replacement(out);
    room -= kReplacementSize;
    ++replaced_;
    from += skip;
    left -= skip;
  }
  iconv(converter, nullptr, nullptr, &out, &room);  // some hold a letter back for the accent that may follow
  return out;
}

}  // namespace logweir
