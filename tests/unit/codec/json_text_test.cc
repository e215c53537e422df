// SPDX-License-Identifier: Apache-2.0
#include "codec/json_text.h"

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codec/kernel.h"
#include "codec/utf8.h"

namespace logweir {

namespace {

// The same, said byte by byte.
std::string plainly(std::string_view bytes, std::uint64_t& repaired) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto c = static_cast<unsigned char>(bytes[at]);
    const std::size_t special = std::string_view("\"\\\b\f\n\r\t").find(static_cast<char>(c));
    if (special != std::string_view::npos && c != 0) {
      out += '\\';
      out += "\"\\bfnrt"[special];
      ++at;
    } else if (c < 0x20) {
      char text[8];
      std::snprintf(text, sizeof text, "\\u%04x", c);
      out += text;
      ++at;
    } else {
      const Utf8Part part = utf8_part(bytes.data() + at, bytes.data() + bytes.size());
      out += part.good ? std::string(bytes.substr(at, part.size)) : std::string(kReplacement);
      repaired += part.good ? 0 : 1;
      at += part.size;
    }
  }
  return out;
}

std::vector<const Kernel*> kernels() {
  std::vector<const Kernel*> all = {&kSse2Kernel};
  if (__builtin_cpu_supports("avx2")) all.push_back(&kAvx2Kernel);
  return all;
}

// In memory of exactly the size, so that a sanitizer sees each byte too far.
std::string written(const Kernel& kernel, std::string_view bytes, std::size_t shift, std::uint64_t& repaired) {
  const auto exact = std::make_unique<char[]>(bytes.size() + shift);
  std::copy(bytes.begin(), bytes.end(), exact.get() + shift);
  std::string out(json_bound(bytes.size()) + kJsonSlack, '\0');
  const char* from = exact.get() + shift;
  const char* end = kernel.write_text(out.data(), from, from + bytes.size(), repaired);
  CHECK(kernel.measure_text(from, from + bytes.size()) == static_cast<std::size_t>(end - out.data()));
  out.resize(static_cast<std::size_t>(end - out.data()));
  return out;
}

std::string text_of(std::string_view bytes) {
  std::uint64_t repaired = 0;
  return written(kernel(), bytes, 0, repaired);
}

std::uint64_t repairs_of(std::string_view bytes) {
  std::uint64_t repaired = 0;
  written(kernel(), bytes, 0, repaired);
  return repaired;
}

}  // namespace

TEST_CASE("random bytes become what the plain way makes of them, at every length and alignment") {
  std::mt19937 random(1);
  static const std::string_view kAlphabets[] = {"abcdefgh ", "ab\"\\\n\t\x01\x1f\x7f",
                                                "a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x98\x80",
                                                "\x80\xC3\xE0\xED\xF4\xFF\xA0\x90"
                                                "a"};
  for (std::size_t length = 0; length <= 300; ++length) {
    for (const std::string_view alphabet : kAlphabets) {
      std::string bytes;
      for (std::size_t i = 0; i < length; ++i) bytes += alphabet[random() % alphabet.size()];
      std::uint64_t expected_repairs = 0;
      const std::string expected = plainly(bytes, expected_repairs);
      for (const Kernel* kernel : kernels()) {
        std::uint64_t repaired = 0;
        REQUIRE(written(*kernel, bytes, length % 33, repaired) == expected);
        REQUIRE(repaired == expected_repairs);
      }
    }
  }
}

TEST_CASE("each single byte is written right at each place of a block") {
  for (unsigned c = 0; c < 256; ++c) {
    for (std::size_t place = 0; place < 70; ++place) {
      std::string bytes(70, 'x');
      bytes[place] = static_cast<char>(c);
      std::uint64_t expected_repairs = 0;
      const std::string expected = plainly(bytes, expected_repairs);
      for (const Kernel* kernel : kernels()) {
        std::uint64_t repaired = 0;
        REQUIRE(written(*kernel, bytes, place, repaired) == expected);
      }
    }
  }
}

TEST_CASE("controls, quotes and backslashes are escaped, all else is left alone") {
  CHECK(text_of("soh\x01 gs\x1Duid=ann") == "soh\\u0001 gs\\u001duid=ann");
  CHECK(text_of("esc \x1B[31mred\x1B[0m del\x7F") == "esc \\u001b[31mred\\u001b[0m del\x7F");
  CHECK(text_of("tab\there \"quoted\" back\\slash") == "tab\\there \\\"quoted\\\" back\\\\slash");
  CHECK(text_of("ls\xE2\x80\xA8 ps\xE2\x80\xA9 end") == "ls\xE2\x80\xA8 ps\xE2\x80\xA9 end");
  CHECK(text_of(std::string("pre\0post", 8)) == "pre\\u0000post");
}

TEST_CASE("each maximal ill-formed part becomes one replacement and the ASCII behind it stays") {
  CHECK(text_of("caf\xE9 27") == "caf\xEF\xBF\xBD 27");  // Latin-1
  CHECK(text_of("\xE2\x82"
                "abc27") ==
        "\xEF\xBF\xBD"
        "abc27");  // cut off before ASCII
  CHECK(repairs_of("\xE2\x82"
                   "abc27") == 1);
  CHECK(repairs_of("ov\xC0\xAF"
                   "er27") == 2);                // an overlong form
  CHECK(repairs_of("su\xED\xA0\x80rr27") == 3);  // a surrogate
  CHECK(repairs_of("\xF0\x9F\x98") == 1);        // cut off at the end
  CHECK(repairs_of("\xF4\x90\x80\x80") == 4);    // above U+10FFFF
  CHECK(repairs_of("\xFF") == 1);
  CHECK(repairs_of("good \xF0\x9F\x98\x80") == 0);
}

TEST_CASE("the worst case is what the bound says") {
  const std::string controls(100, '\x01');
  CHECK(text_of(controls).size() == json_bound(controls.size()));
}

}  // namespace logweir
