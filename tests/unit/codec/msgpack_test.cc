// SPDX-License-Identifier: Apache-2.0
#include "codec/msgpack.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "codec/encode.h"
#include "codec/parser_options.h"
#include "support/line_batch.h"

namespace logweir {

namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    text += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

// The bytes of a JSON text in MessagePack.
std::string packed(std::string_view json) {
  MsgpackFromJson writer;
  std::string out(MsgpackFromJson::bound(json.size()), '\0');
  const char* const end = writer.write(out.data(), json);
  if (end == nullptr) return "no JSON";
  const auto size = static_cast<std::size_t>(end - out.data());
  CHECK(size <= out.size());
  return out.substr(0, size);
}
std::string packed_hex(std::string_view json) { return hex(packed(json)); }

std::string items(std::size_t count, const std::string& each) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + each;
  return text;
}

}  // namespace

TEST_CASE("each integer takes its shortest form and keeps its value") {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"0", "00"},
      {"127", "7f"},
      {"128", "cc80"},
      {"255", "ccff"},
      {"256", "cd0100"},
      {"65535", "cdffff"},
      {"65536", "ce00010000"},
      {"4294967295", "ceffffffff"},
      {"4294967296", "cf0000000100000000"},
      {"9223372036854775808", "cf8000000000000000"},
      {"18446744073709551615", "cfffffffffffffffff"},
      {"-1", "ff"},
      {"-32", "e0"},
      {"-33", "d0df"},
      {"-128", "d080"},
      {"-129", "d1ff7f"},
      {"-32768", "d18000"},
      {"-32769", "d2ffff7fff"},
      {"-2147483648", "d280000000"},
      {"-2147483649", "d3ffffffff7fffffff"},
      {"-9223372036854775808", "d38000000000000000"},
  };
  for (const auto& [json, bytes] : cases) CHECK(packed_hex(json) == bytes);
}

TEST_CASE("all other numbers become the nearest double") {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"1.5", "cb3ff8000000000000"},
      {"-0", "cb8000000000000000"},
      {"1e0", "cb3ff0000000000000"},
      {"18446744073709551616", "cb43f0000000000000"},
      {"-9223372036854775809", "cbc3e0000000000000"},
      {"1e400", "cb7ff0000000000000"},
      {"-1E+400", "cbfff0000000000000"},
      {"1e-400", "cb0000000000000000"},
      {"-1e-99999999999999999999", "cb8000000000000000"},
      {"1e99999999999999999999", "cb7ff0000000000000"},
      {"0.0001e5000", "cb7ff0000000000000"},
      {"1" + std::string(400, '0'), "cb7ff0000000000000"},
      {"1" + std::string(400, '0') + "e-400", "cb3ff0000000000000"},
      {"0." + std::string(400, '0') + "1", "cb0000000000000000"},
  };
  for (const auto& [json, bytes] : cases) CHECK(packed_hex(json) == bytes);
}

TEST_CASE("words and texts have the layouts of the specification") {
  CHECK(packed_hex("null") == "c0");
  CHECK(packed_hex("false") == "c2");
  CHECK(packed_hex(" true ") == "c3");
  CHECK(packed_hex("\"\"") == "a0");
  CHECK(packed_hex("\"ab\"") == "a26162");
  const auto text = [](std::size_t size) { return packed("\"" + std::string(size, 'x') + "\""); };
  CHECK(hex(text(31)).starts_with("bf78"));
  CHECK(hex(text(32)).starts_with("d92078"));
  CHECK(hex(text(255)).starts_with("d9ff78"));
  CHECK(hex(text(256)).starts_with("da010078"));
  CHECK(hex(text(65535)).starts_with("daffff78"));
  CHECK(hex(text(65536)).starts_with("db0001000078"));
  CHECK(text(65536).size() == 5 + 65536);
}

TEST_CASE("escapes are undone") {
  CHECK(packed(R"("a\"b\\c\/\b\f\n\r\t")") ==
        "\xAB"
        "a\"b\\c/\b\f\n\r\t");
  CHECK(packed(R"("\u0041\u00e9\u20ac\ud83d\ude00")") ==
        "\xAA"
        "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(packed(R"({"\"k":"\\"})") == "\x81\xA2\"k\xA1\\");
}

TEST_CASE("containers say how many they hold, at any depth") {
  CHECK(packed_hex("{}") == "80");
  CHECK(packed_hex("[ ]") == "90");
  CHECK(packed_hex("[[],[{}],{\"a\":[1,2]}]") ==
        "93"
        "90"
        "9180"
        "81a161920102");
  CHECK(packed_hex("{\"a\":\"{[,:]}\",\"b\":[true,null]}") ==
        "82a161a67b5b2c3a5d7d"
        "a16292c3c0");
  CHECK(packed_hex("[" + items(15, "1") + "]").starts_with("9f01"));
  CHECK(packed_hex("[" + items(16, "1") + "]").starts_with("dc001001"));
  CHECK(packed_hex("[" + items(65535, "1") + "]").starts_with("dcffff01"));
  CHECK(packed_hex("[" + items(65536, "1") + "]").starts_with("dd0001000001"));
  CHECK(packed_hex("{" + items(15, "\"a\":1") + "}").starts_with("8fa16101"));
  CHECK(packed_hex("{" + items(16, "\"a\":1") + "}").starts_with("de0010a16101"));
  CHECK(packed_hex("{" + items(65536, "\"a\":1") + "}").starts_with("df00010000a16101"));
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  CHECK(packed(deep) == std::string(4999, '\x91') + "\x90");
}

TEST_CASE("no text takes more than its bound") {
  CHECK(packed("[" + items(1000, "-0") + "]").size() == 3 + 9000);
  CHECK(packed("[" + items(20000, "1e1") + "]").size() == 3 + 180000);
}

TEST_CASE("what is no JSON is refused where it is noticed, and harmless") {
  for (const char* wrong : {"\"", "\"\\", "\"a\\\"", "]", "[", "{\"a\"", ",", "nul", "-", "1x", "+1", "[1}x"}) {
    CHECK(packed(wrong) == "no JSON");
  }
}

TEST_CASE("times are seconds and nanoseconds, within what 32 bits hold") {
  char bytes[kMsgpackHead];
  const auto time = [&bytes](Nanos at) {
    return hex({bytes, static_cast<std::size_t>(write_msgpack_time(bytes, at) - bytes)});
  };
  CHECK(time(1'700'000'000'123'456'789) == "d7006553f100075bcd15");
  CHECK(time(-5) == "d7000000000000000000");
  CHECK(time(INT64_MAX) == "d700ffffffff3b9ac9ff");
}

TEST_CASE("a record is an event with its time, no metadata, and the fields that it has as JSON") {
  Origin origin;
  origin.attached = {{"file", "a"}};
  origin.offset_key = "at";
  LineBatch lines(origin);
  lines->source = 0x1f;
  lines.add("x\"\xFF");
  lines.add(R"({"n":18446744073709551615,"v":[1,{"w":-2.5}],"id":3})");
  ParserOptions json;
  json.format = "json";
  make_decoder(json).value()->decode(*lines, 0);
  EncodeOptions how;
  how.format = Format::msgpack;
  how.id_key = "id";
  Encoder encoder(how);
  Pieces out(lines.pool());
  CHECK(encoder.encode(lines.all(), out, SIZE_MAX) == 2);
  CHECK(encoder.repaired() == 1);
  const std::string head = "9292d7006553f100075bca0080";
  const auto text = [](std::string_view plain) { return hex(plain); };
  CHECK(hex(joined(out)) == head +
                                "84"
                                "a4" +
                                text("file") +
                                "a161"
                                "a3" +
                                text("log") + "a5" + text("x\"\xEF\xBF\xBD") + "a2" + text("at") +
                                "00"
                                "a2" +
                                text("id") + "b2" + text("000000000000001f-0") +  //
                                head +
                                "85"
                                "a4" +
                                text("file") +
                                "a161"
                                "a16e"
                                "cfffffffffffffffff"
                                "a1769201"
                                "81a177cbc004000000000000"
                                "a2" +
                                text("at") +
                                "04"
                                "a2" +
                                text("id") + "b2" + text("000000000000001f-4"));
}

TEST_CASE("a record that is larger than a chunk is packed whole") {
  LineBatch lines;
  lines.add(std::string(3 << 20, '\n'));
  EncodeOptions how;
  how.format = Format::msgpack;
  Encoder encoder(how);
  Pieces out(lines.pool());
  CHECK(encoder.encode(lines.all(), out, SIZE_MAX) == 1);
  CHECK(out.size() == 13 + 1 + 4 + 5 + (3 << 20));
}

}  // namespace logweir
