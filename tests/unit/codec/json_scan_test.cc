// SPDX-License-Identifier: Apache-2.0
#include "codec/json_scan.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "codec/key_bits.h"
#include "memory/chunk.h"
#include "strict_json.h"

namespace logweir {

namespace {

class Scanned {
 public:
  explicit Scanned(std::string_view text, std::string_view wanted = {}, const Kernel& kernel = logweir::kernel())
      : padded_(std::string(text) + std::string(kChunkPadding, 'x')), scan(std::make_unique<JsonScan>()) {
    scan->wanted = wanted;
    scan->wanted_hash = hash_key(wanted);
    good = kernel.scan_object(padded_.data(), padded_.data() + text.size(), *scan);
  }
  [[nodiscard]] std::size_t wanted_at() const { return static_cast<std::size_t>(scan->wanted_key - padded_.data()); }

 private:
  std::string padded_;

 public:
  std::unique_ptr<JsonScan> scan;
  bool good = false;
};

bool takes(std::string_view text) {
  const bool good = Scanned(text, {}, kSse2Kernel).good;
  if (__builtin_cpu_supports("avx2")) CHECK(Scanned(text, {}, kAvx2Kernel).good == good);
  return good;
}

const std::vector<std::string> kGood = {
    "{}",
    "{ }",
    R"({"a":1})",
    R"({"a":[],"b":{},"c":[{}],"d":[[1],[2,3]]})",
    "{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \t",
    R"({"n":[0,-0,1.5,-1.5e+10,2E-3,9223372036854775807,18446744073709551615]})",
    R"({"w":[true,false,null]})",
    R"({"s":"\"\\\/\b\f\n\r\t\u0041\ud83e\uddea"})",
    "{\"u\":\"\xC3\xA9 \xE4\xBD\xA0 \xF0\x9F\x98\x80 \x7F\"}",
    R"({"":"an empty key"})",
};

const std::vector<std::string> kBad = {
    "{",
    "{\"a\"",
    R"({"a":})",
    R"({"a":1,})",
    R"({,"a":1})",
    R"({"a":1 "b":2})",
    R"({"a":1}})",
    R"({"a":1} true)",
    R"({"a":1}{"b":2})",
    R"({"k"="b5"})",
    R"({"a":[1,2,,3]})",
    R"({"a":[1,2})",
    R"({"a":[1,2,]})",
    R"({"a":[,1]})",
    R"({a:1})",
    R"({1:1})",
    R"({"a":'x'})",
    R"({"a":trux})",
    R"({"a":truee})",
    R"({"a":nul})",
    R"({"a":01})",
    R"({"a":-})",
    R"({"a":1.})",
    R"({"a":.5})",
    R"({"a":+1})",
    R"({"a":1e})",
    R"({"a":1e+})",
    R"({"a":0x1F})",
    R"({"a":NaN})",
    R"({"a":-Infinity})",
    R"({"a":"\x"})",
    R"({"a":"\u12G4"})",
    R"({"a":"\u12"})",
    R"({"a":"cut)",
    "{\"a\":\"raw\ttab\"}",
    "{\"a\":\"raw\nline\"}",
    std::string("{\"a\":\"raw\0nul\"}", 15),
    "{\"a\":\xC3\xA9}",
    "{\"a\":1\x01}",
    "{\"a\":1}\x0B",
    "{\"a\"::1}",
    "{\"a\" 1}",
    "{]",
    "{\"a\":]}",
    "{\"a\":\"\\",
};

}  // namespace

TEST_CASE("what JSON is, is taken, and simdjson agrees") {
  for (const std::string& text : kGood) {
    CAPTURE(text);
    CHECK(takes(text));
    CHECK(simdjson_takes(text));
  }
}

TEST_CASE("what JSON is not, is refused, and simdjson agrees") {
  for (const std::string& text : kBad) {
    CAPTURE(text);
    CHECK_FALSE(takes(text));
    CHECK_FALSE(simdjson_takes(text));
  }
}

TEST_CASE("a text cut anywhere is refused") {
  const std::string whole = kGood[7];
  for (std::size_t size = 1; size < whole.size(); ++size) CHECK_FALSE(takes(whole.substr(0, size)));
}

TEST_CASE("numbers of any size are taken, where simdjson's DOM stops") {
  CHECK(takes(R"({"v":123456789012345678901234567890})"));
  CHECK(takes(R"({"v":1e400,"w":-1E-999})"));
}

TEST_CASE("lone surrogates and ill-formed UTF-8 are taken and reported") {
  for (const std::string_view text : {R"({"v":"x\ud83dy"})", R"({"v":"x\uddea\ud83ey"})", R"({"v":"\ud83d\n"})",
                                      "{\"v\":\"caf\xE9\"}", "{\"\xFF\":1}"}) {
    CAPTURE(text);
    const Scanned scanned(text);
    CHECK(scanned.good);
    CHECK(scanned.scan->damaged);
  }
  CHECK_FALSE(Scanned(R"({"v":"\ud83e\uddea \u00e9"})").scan->damaged);
}

TEST_CASE("a line break between tokens is reported, since lines are one record each") {
  CHECK(Scanned("{\"a\":1,\n\"b\":2}").scan->damaged);
  CHECK_FALSE(Scanned("{\"a\":1, \t\"b\":2}").scan->damaged);
}

TEST_CASE("depth is bounded and costs no stack") {
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  CHECK(takes(nested(100)));
  CHECK(takes(nested(JsonScan::kMaxDepth)));
  CHECK_FALSE(takes(nested(JsonScan::kMaxDepth + 1)));
  CHECK_FALSE(takes(nested(100'000)));
  std::string maps;
  for (int i = 0; i < 100'000; ++i) maps += "{\"a\":";
  CHECK_FALSE(takes(maps));
}

TEST_CASE("repeated keys are noticed in the object they stand in, also when written differently") {
  CHECK(Scanned(R"({"a":1,"a":2})").scan->repeated);
  CHECK(Scanned(R"({"a":1,"\u0061":2})").scan->repeated);
  CHECK(Scanned(R"({"x":[{"a":1,"b":{},"a":2}]})").scan->repeated);
  CHECK_FALSE(Scanned(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]})").scan->repeated);
}

TEST_CASE("keys are remembered by three bits each, at top level only") {
  const Scanned scanned(R"({"date":1,"n":{"inner":2}})");
  const auto has = [&](std::string_view key) {
    const std::uint64_t bits = key_bits(hash_key(key));
    return (scanned.scan->keys & bits) == bits;
  };
  CHECK(has("date"));
  CHECK(has("n"));
  CHECK(scanned.scan->keys == (key_bits(hash_key("date")) | key_bits(hash_key("n"))));
}

TEST_CASE("keys of every length have one hash, padded or not") {
  std::string key;
  for (int i = 0; i < 70; ++i) {
    const std::string padded = key + std::string(16, '!');
    CHECK(hash_padded_key(padded.data(), key.size()) == hash_key(key));
    key += static_cast<char>('a' + i % 26);
  }
}

TEST_CASE("the wanted key's last place at top level is noted") {
  CHECK(Scanned(R"({"x":{"time":1},"time":2})", "time").wanted_at() == 16);
  CHECK(Scanned(R"({"x":{"time":1}})", "time").scan->wanted_key == nullptr);
  CHECK(Scanned(R"({"t\u0069me":2})", "time").wanted_at() == 1);
}

TEST_CASE("a scan's memory serves many texts") {
  auto scan = std::make_unique<JsonScan>();
  const std::string text = R"({"a":1,"b":{"a":2}})" + std::string(kChunkPadding, ' ');
  for (int i = 0; i < 70'000; ++i) {  // past the point where the numbers of texts begin anew
    REQUIRE(kernel().scan_object(text.data(), text.data() + text.size() - kChunkPadding, *scan));
    REQUIRE_FALSE(scan->repeated);
  }
}

TEST_CASE("a member is found by its meaning") {
  const std::string text =
      R"({"a":"x\"}","b\u0062":[1,{"c":2}], "c" : {"d":"]"} ,"q\"":-1.5,"z":true})" + std::string(kChunkPadding, ' ');
  const auto value = [&](std::string_view key) -> std::string_view {
    JsonMember member;
    return kernel().find_member(text.data(), key, member) ? member.text() : "none";
  };
  CHECK(value("a") == R"("x\"}")");
  CHECK(value("bb") == R"([1,{"c":2}])");
  CHECK(value("c") == R"({"d":"]"})");
  CHECK(value("q\"") == "-1.5");
  CHECK(value("z") == "true");
  CHECK(value("d") == "none");
  CHECK(value("q\\\"") == "none");
}

TEST_CASE("strings are unescaped to what they mean") {
  const auto meaning = [](std::string_view inside) {
    std::string out;
    unescape_json(inside, out);
    return out;
  };
  CHECK(meaning(R"(a\"\\\/\b\f\n\r\tz)") == "a\"\\/\b\f\n\r\tz");
  CHECK(meaning(R"(\u00E9\u20ac\ud83e\uddea)") == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA7\xAA");
  CHECK(meaning(R"(a\u0000b)") == std::string("a\0b", 3));
  CHECK(meaning(R"(x\ud83dy)") == "x\xEF\xBF\xBDy");
  CHECK(meaning(R"(\uddea\ud83e)") == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace logweir
