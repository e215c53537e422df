// SPDX-License-Identifier: Apache-2.0
#include "codec/charset.h"

#include <doctest/doctest.h>

#include <string>

namespace logweir {
namespace {

std::string decoded(Charset& charset, std::string_view in, bool cut = false) {
  std::string out(Charset::bound(in.size()), '\0');
  out.resize(static_cast<std::size_t>(charset.decode(in, cut, out.data()) - out.data()));
  return out;
}

std::unique_ptr<Charset> charset_of(std::string_view name) {
  auto made = Charset::make(name);
  REQUIRE_MESSAGE(made.ok(), made.status().message());
  return std::move(made).value();
}

}  // namespace

TEST_CASE("each encoding that Fluent Bit names is turned into UTF-8") {
  struct Sample {
    const char* name;
    std::string_view bytes;
    const char* text;
  };
  const Sample samples[] = {
      {"ShiftJIS", "\x93\xfa\x96\x7b\\", "日本\\"},
      {"UHC", "\xc7\xd1\xb1\xdb", "한글"},
      {"GBK", "\xd6\xd0\xce\xc4", "中文"},
      {"GB18030", "\x81\x30\x81\x30\xd6\xd0", "\xc2\x80中"},
      {"Big5", "\xa4\xa4\xa4\xe5", "中文"},
      {"Win866", "\x8f\xe0", "Пр"},
      {"Win874", "\xa1\xd1", "กั"},
      {"win1250", "\xb9", "ą"},
      {"Win1251", "\xcf\xf0", "Пр"},
      {"Win1252", "\x80\xe9", "€é"},
      {"Win1253", "\xe1", "α"},
      {"Win1254", "\xfe", "ş"},
      {"Win1255", "\xf9", "ש"},
      {"Win1256", "\xd4", "ش"},
      {"Win1257", "\xe0", "ą"},
      {"Win1258", "\xfe", "₫"},
      {"UTF-16LE", std::string_view("a\0\x3d\xd8\x00\xde", 6), "a😀"},
      {"UTF-16BE", std::string_view("\0a\xd8\x3d\xde\x00", 6), "a😀"},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    const auto charset = charset_of(sample.name);
    CHECK(decoded(*charset, sample.bytes) == sample.text);
    CHECK(charset->replaced() == 0);
  }
}

TEST_CASE("what is ill-formed becomes one U+FFFD a unit, is counted, and the rest goes on") {
  const auto wide = charset_of("UTF-16LE");
  CHECK(decoded(*wide, {"a\0\x00\xdc"
                        "b\0",
                        6}) ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(wide->replaced() == 1);
  const auto japanese = charset_of("ShiftJIS");
  CHECK(decoded(*japanese, "a\x93 b") == "a\xef\xbf\xbd b");
  CHECK(japanese->replaced() == 1);
}

TEST_CASE("half a character at the end is ill-formed, unless the text was cut there") {
  const auto wide = charset_of("UTF-16BE");
  CHECK(decoded(*wide, {"\0a\xd8\x3d", 4}) == "a\xef\xbf\xbd");
  CHECK(decoded(*wide, {"\0a\xd8\x3d", 4}, true) == "a");
  CHECK(wide->replaced() == 1);
}

TEST_CASE("a letter that waits for an accent is not lost at the end") {
  const auto charset = charset_of("Win1258");
  CHECK(decoded(*charset, "e") == "e");
}

TEST_CASE("an unknown encoding is refused with those that are known") {
  const auto made = Charset::make("EBCDIC");
  REQUIRE(!made.ok());
  CHECK(made.status().message().find("ShiftJIS") != std::string::npos);
}

}  // namespace logweir
