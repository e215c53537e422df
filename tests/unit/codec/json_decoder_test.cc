// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "codec/encode.h"
#include "codec/json_scan.h"
#include "codec/parser_options.h"
#include "support/line_batch.h"

namespace logweir {

namespace {

ParserOptions json(std::string time_format = {}) {
  ParserOptions options;
  options.name = "j";
  options.format = "json";
  options.time_format = std::move(time_format);
  return options;
}

Decoded decode(LineBatch& lines, const ParserOptions& options = json()) {
  return make_decoder(options).value()->decode(*lines, 1'790'000'000 * kSecond);
}

// What a line becomes, without the added date; "text: ..." when it stayed one.
std::string parsed(std::string_view line, const ParserOptions& options = json()) {
  LineBatch lines;
  lines.add(line);
  decode(lines, options);
  const Record& record = lines->records[0];
  if (record.body == Body::text) return "text: " + std::string(record.text());
  EncodeOptions plain;
  plain.format = Format::plain;
  Encoder encoder(plain);
  Pieces out(lines.pool());
  encoder.encode(lines.all(), out, SIZE_MAX);
  const std::string text = joined(out);
  return text.substr(0, text.size() - 1);
}

Nanos time_of(std::string_view line, const ParserOptions& options) {
  LineBatch lines;
  lines.add(line);
  decode(lines, options);
  return lines->records[0].time;
}

constexpr Nanos kReadAt = 1'700'000'000'123'456'000;

}  // namespace

TEST_CASE("an object becomes a JSON body over its own bytes, blanks around it left out") {
  LineBatch lines;
  lines.add(" \t{\"k\":\"ok\"} \r");
  const char* const at = lines->records[0].data;
  const Decoded done = decode(lines);
  CHECK(done.parsed == 1);
  CHECK(lines->records[0].body == Body::json);
  CHECK(lines->records[0].data == at + 2);
  CHECK(lines->records[0].text() == "{\"k\":\"ok\"}");
}

TEST_CASE("lines that are not one object stay text, marked and counted") {
  LineBatch lines;
  for (const std::string_view line :
       {R"({"k":"b1"} true)", R"({"k":"b2"}{"k":"b3"})", R"({"k":"b4","t":"cut)", R"({"k"="b5"})", "[1,2,3]",
        "\"b7 string\"", "42", "null", R"({"k":"b10",})", "57% done .......", R"({"k":"b12"}})", "", "   "}) {
    lines.add(line);
  }
  const Decoded done = decode(lines);
  CHECK(done.parsed == 0);
  CHECK(done.failed == lines->records.size());
  for (const Record& record : lines->records) {
    CHECK(record.body == Body::text);
    CHECK((record.flags & Record::kParseFailed) != 0);
  }
}

TEST_CASE("records that failed or are parsed already are passed over") {
  LineBatch lines;
  lines.add("{}").flags = Record::kParseFailed;
  lines.add("{}").body = Body::json;
  const Decoded done = decode(lines);
  CHECK(done.parsed == 0);
  CHECK(done.failed == 0);
}

TEST_CASE("numbers keep all their digits") {
  for (const std::string_view number :
       {"2147483648", "9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "123456789012345678901234567890", "1e400", "0.10"}) {
    const std::string line = "{\"v\":" + std::string(number) + "}";
    CHECK(parsed(line) == line);
  }
}

TEST_CASE("strings stay the strings they are") {
  const std::string line =
      R"({"zip":"00501","exp":"1e5","hex":"0x1F","plus":"+1","sp":" 7 ","nan":"NaN","t":"true","s":"\ud83e\uddea a\u0000b"})";
  CHECK(parsed(line) == line);
}

TEST_CASE("lone surrogates become the replacement character") {
  CHECK(parsed(R"({"v":"x\ud83dy"})") == R"({"v":"x\ufffdy"})");
  CHECK(parsed(R"({"v":"x\uddea\ud83ey"})") == R"({"v":"x\ufffd\ufffdy"})");
}

TEST_CASE("ill-formed UTF-8 in a body is repaired and counted") {
  LineBatch lines;
  lines.add("{\"v\":\"caf\xE9\",\"w\\\\\":\"\xE4\xBD\xA0\"}");
  CHECK(decode(lines).repaired == 1);
  CHECK(lines->records[0].text() == "{\"v\":\"caf\xEF\xBF\xBD\",\"w\\\\\":\"\xE4\xBD\xA0\"}");
  CHECK(parsed("{\xE9:1}").starts_with("text: "));
}

TEST_CASE("of equal keys the last one stays, at every depth") {
  CHECK(parsed(R"({"a":1,"b":2,"a":3})") == R"({"b":2,"a":3})");
  CHECK(parsed(R"({"a":1, "a":2, "a":3})") == R"({"a":3})");
  CHECK(parsed(R"({"x":[{"k":{"k":1,"k":2},"k":5,"\u006b":6}],"k":0})") == R"({"x":[{"\u006b":6}],"k":0})");
  CHECK(parsed(R"({"a":{"b":1,"b":[{"c":1,"c":2}]}})") == R"({"a":{"b":[{"c":2}]}})");
}

TEST_CASE("keys that are equal only once they are repaired are found, too") {
  CHECK(parsed("{\"\xFF\":1,\"\xFE\":2}") == "{\"\xEF\xBF\xBD\":2}");
  CHECK(parsed(R"({"\ud800":1,"\udc00":2})") == R"({"\ufffd":2})");
}

TEST_CASE("a record of many keys is taken, and one of far too many is not") {
  const auto wide = [](int keys) {
    std::string line = "{\"k\":\"wide\"";
    for (int i = 0; i < keys; ++i) line += ",\"key" + std::to_string(i) + "\":" + std::to_string(i);
    return line + "}";
  };
  CHECK(parsed(wide(5000)) == wide(5000));
  CHECK(parsed(wide(70'000)).starts_with("text: "));
  CHECK(parsed(wide(5000).substr(0, 40'000) + ",\"k\":1}").find("\"k\":\"wide\"") == std::string::npos);
}

TEST_CASE("an object over several lines becomes one line") {
  CHECK(parsed("{\n  \"a\": 1,\r\n  \"b\": \"x\\n\"\n}") == "{   \"a\": 1,    \"b\": \"x\\n\" }");
}

TEST_CASE("a line too deep is kept as text") {
  const std::string deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  CHECK(parsed(deep) == "text: " + deep);
}

TEST_CASE("without memory for a repair the line stays text") {
  LineBatch lines({}, 400 * 1024);
  lines.add("{\"v\":\"caf\xE9\"}");
  const Decoded done = decode(lines);
  CHECK(done.failed == 1);
  CHECK(lines->records[0].body == Body::text);
}

TEST_CASE("the time field sets the record's time and goes") {
  const ParserOptions options = json("%Y-%m-%dT%H:%M:%S.%L%z");
  const std::string_view line = R"({"time":"2026-03-05T04:06:07.654321Z","msg":"x"})";
  CHECK(time_of(line, options) == 1'772'683'567'654'321'000);
  CHECK(parsed(line, options) == R"({"msg":"x"})");
  CHECK(parsed(R"({"msg":"x" , "time":"2026-03-05T04:06:07.654321Z" })", options) == R"({"msg":"x"})");
  CHECK(parsed(R"({"time":"2026-03-05T04:06:07.654321Z"})", options) == "{}");
  CHECK(parsed(R"({"a":1,"t\u0069me":"2026-03-05T04:06:07.6Z","b":2})", options) == R"({"a":1,"b":2})");
}

TEST_CASE("time_keep leaves the field, time_key names it") {
  ParserOptions options = json("%s");
  options.time_key = "ts";
  options.time_keep = true;
  CHECK(time_of(R"({"ts":1760000000,"time":1})", options) == 1'760'000'000 * kSecond);
  CHECK(parsed(R"({"ts":1760000000,"time":1})", options) == R"({"ts":1760000000,"time":1})");
}

TEST_CASE("numbers are times, whole or with a fraction, in quotes or not") {
  const ParserOptions fraction = json("%s.%L");
  CHECK(time_of(R"({"time":1760000000.25})", fraction) == 1'760'000'000'250'000'000);
  CHECK(time_of(R"({"time":"1760000000.25"})", fraction) == 1'760'000'000'250'000'000);
  CHECK(time_of(R"({"time":1760000000})", fraction) == 1'760'000'000 * kSecond);
  CHECK(time_of(R"({"time":1.76e9})", fraction) == 1'760'000'000 * kSecond);
  CHECK(time_of(R"({"time":1760000000.25})", json("%s")) == 1'760'000'000'250'000'000);
  CHECK(time_of(R"({"time":1760000000250})", fraction) == kReadAt);  // milliseconds are not seconds
  CHECK(time_of(R"({"time":1e300})", fraction) == kReadAt);
}

TEST_CASE("a time that can't be read leaves record and field as they are and is counted") {
  LineBatch lines;
  for (const std::string_view line : {R"({"time":"soon","m":1})", R"({"m":2})", R"({"time":null,"m":3})",
                                      R"({"time":{},"m":4})", R"({"time":"","m":5})", R"({"time":true,"m":6})"}) {
    lines.add(line);
  }
  const Decoded done = decode(lines, json("%Y-%m-%dT%H:%M:%S.%L%z"));
  CHECK(done.parsed == 6);
  CHECK(done.time_failed == 5);
  for (const Record& record : lines->records) CHECK(record.time == kReadAt);
  CHECK(lines->records[0].text() == R"({"time":"soon","m":1})");
}

TEST_CASE("a repeated time key means the last one") {
  CHECK(time_of(R"({"time":1,"time":2})", json("%s")) == 2 * kSecond);
  CHECK(parsed(R"({"time":1,"a":0,"time":2})", json("%s")) == R"({"a":0})");
}

TEST_CASE("a parser that can't be made says why") {
  ParserOptions options = json();
  options.format = "regex";
  CHECK(make_decoder(options).status().message().find("regex") != std::string::npos);
  CHECK_FALSE(make_decoder(json("%Q")).ok());
  options = json("%s");
  options.time_offset = "noon";
  CHECK(make_decoder(options).status().message().find("noon") != std::string::npos);
  options.format = "JSON";
  options.time_offset = "+0100";
  CHECK(make_decoder(options).ok());
}

}  // namespace logweir
