// SPDX-License-Identifier: Apache-2.0
#include "codec/encode.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "codec/parser_options.h"
#include "strict_json.h"
#include "support/line_batch.h"

namespace logweir {

namespace {

EncodeOptions options(Format format) {
  EncodeOptions options;
  options.format = format;
  return options;
}

std::string encoded(LineBatch& lines, const EncodeOptions& how = {}) {
  Encoder encoder(how);
  Pieces out(lines.pool());
  CHECK(encoder.encode(lines.all(), out, SIZE_MAX) == lines->records.size());
  return joined(out);
}

void parse(LineBatch& lines) {
  ParserOptions json;
  json.format = "json";
  make_decoder(json).value()->decode(*lines, 0);
}

Value string(std::string_view text) {
  Value value;
  value.kind = Value::Kind::string;
  value.text = text;
  return value;
}

Value number(std::int64_t integer) {
  Value value;
  value.kind = Value::Kind::integer;
  value.integer = integer;
  return value;
}

Value removed() {
  Value value;
  value.kind = Value::Kind::removed;
  return value;
}

// Puts `text`, a part of the last record's body, out of it and `field` into its overlay.
void overlay(LineBatch& lines, Field field, std::string_view text = {}) {
  Record& record = lines->records.back();
  if (record.field_count == 0) record.fields = static_cast<std::uint32_t>(lines->fields.size());
  if (!text.empty()) {
    field.cut_begin = static_cast<std::uint32_t>(record.text().find(text));
    field.cut_end = field.cut_begin + static_cast<std::uint32_t>(text.size());
  }
  lines->fields.push_back(field);
  ++record.field_count;
}

}  // namespace

TEST_CASE("objects for an array have a comma behind them, those of a stream nothing") {
  LineBatch lines;
  lines.add("a");
  lines.add("b");
  const std::string date = "{\"date\":1700000000.123456,\"log\":";
  CHECK(encoded(lines, options(Format::json)) == date + "\"a\"}," + date + "\"b\"},");
  CHECK(encoded(lines, options(Format::json_stream)) == date + "\"a\"}" + date + "\"b\"}");
}

TEST_CASE("a text line becomes one JSON object a line") {
  LineBatch lines;
  lines.add("hello \"world\"");
  lines.add("");
  CHECK(encoded(lines) ==
        "{\"date\":1700000000.123456,\"log\":\"hello \\\"world\\\"\"}\n{\"date\":1700000000.123456,\"log\":\"\"}\n");
}

TEST_CASE("plain leaves the date out, and so does an empty date key") {
  LineBatch lines;
  lines.add("x");
  CHECK(encoded(lines, options(Format::plain)) == "{\"log\":\"x\"}\n");
  EncodeOptions no_date;
  no_date.date_key.clear();
  CHECK(encoded(lines, no_date) == "{\"log\":\"x\"}\n");
}

TEST_CASE("attached fields stand in front, offset and truncation behind") {
  Origin origin;
  origin.text_key = "message";
  origin.attached = {{"file", "a \"b\".log"}, {"host", "h"}};
  origin.offset_key = "offset";
  LineBatch lines(origin);
  lines.add("x");
  lines.add("y").flags = Record::kTruncated;
  CHECK(encoded(lines, options(Format::plain)) ==
        "{\"file\":\"a \\\"b\\\".log\",\"host\":\"h\",\"message\":\"x\",\"offset\":0}\n"
        "{\"file\":\"a \\\"b\\\".log\",\"host\":\"h\",\"message\":\"y\",\"offset\":2,\"_truncated\":true}\n");
}

TEST_CASE("a JSON body is copied as it is behind what is added") {
  Origin origin;
  origin.attached = {{"file", "a.log"}};
  LineBatch lines(origin);
  lines.add(R"(  { "k" : 1.50 ,	"v":[1, 2] }  )");
  lines.add(R"({"x":1e400})");
  lines.add("{ }");
  lines.add("{}").flags = Record::kTruncated;
  parse(lines);
  CHECK(encoded(lines) ==
        "{\"date\":1700000000.123456,\"file\":\"a.log\", \"k\" : 1.50 ,\t\"v\":[1, 2]}\n"
        "{\"date\":1700000000.123456,\"file\":\"a.log\",\"x\":1e400}\n"
        "{\"date\":1700000000.123456,\"file\":\"a.log\"}\n"
        "{\"date\":1700000000.123456,\"file\":\"a.log\",\"_truncated\":true}\n");
}

TEST_CASE("a name that the record has itself is not added") {
  Origin origin;
  origin.attached = {{"file", "a.log"}};
  origin.offset_key = "offset";
  LineBatch lines(origin);
  lines.add(R"({"date":"own","x":{"file":1}})");
  lines.add(R"({"f\u0069le":"own","offset":"own","_truncated":0})").flags = Record::kTruncated;
  parse(lines);
  CHECK(encoded(lines) ==
        "{\"file\":\"a.log\",\"date\":\"own\",\"x\":{\"file\":1},\"offset\":0}\n"
        "{\"date\":1700000000.123456,\"f\\u0069le\":\"own\",\"offset\":\"own\",\"_truncated\":0}\n");
}

// What all JSON formats write of records with ids.
std::string with_ids(LineBatch& lines, std::string id_key = "id") {
  lines->source = 0xabc;
  EncodeOptions how;
  how.date_key.clear();
  how.id_key = std::move(id_key);
  return encoded(lines, how);
}
const std::string kId = "\"id\":\"0000000000000abc-";

TEST_CASE("an id key adds the record's id behind its own fields") {
  LineBatch lines;
  lines.add("a");
  lines.add(R"({"k":1})");
  lines.add("{ }");
  parse(lines);
  CHECK(with_ids(lines) == "{\"log\":\"a\"," + kId + "0\"}\n{\"k\":1," + kId + "2\"}\n{" + kId + "a\"}\n");
}

TEST_CASE("records from one place are told apart by their order") {
  LineBatch lines;
  for (const char* text : {"a", "b", "c", "d"}) lines.add(text);
  for (const int i : {1, 2, 3}) lines->records[static_cast<std::size_t>(i)].position = 5;
  const std::string all = with_ids(lines);
  CHECK(all == "{\"log\":\"a\"," + kId + "0\"}\n{\"log\":\"b\"," + kId + "5\"}\n{\"log\":\"c\"," + kId +
                   "5-1\"}\n{\"log\":\"d\"," + kId + "5-2\"}\n");
  EncodeOptions how;
  how.date_key.clear();
  how.id_key = "id";
  Encoder encoder(how);
  Pieces out(lines.pool());
  CHECK(encoder.encode({&*lines, 3, 4}, out, SIZE_MAX) == 1);  // the same when it goes out alone
  CHECK(joined(out) == all.substr(all.rfind("{")));
}

TEST_CASE("the id takes the place of whatever else has its name") {
  Origin origin;
  origin.attached = {{"id", "attached"}, {"f", "a"}};
  origin.offset_key = "id";
  LineBatch lines(origin);
  lines.add(R"({"id":1})");
  lines.add(R"({"id":{"x":[1]} , "k":2})");
  lines.add(R"({"k":2,"\u0069d":"}"})");
  lines.add(R"({"a":1,"id":"x","k":2})");
  parse(lines);
  CHECK(with_ids(lines) == "{\"f\":\"a\"," + kId + "0\"}\n{\"f\":\"a\", \"k\":2," + kId +
                               "9\"}\n{\"f\":\"a\",\"k\":2," + kId + "22\"}\n{\"f\":\"a\",\"a\":1,\"k\":2," + kId +
                               "38\"}\n");
}

TEST_CASE("the id takes a field's place, a cut member's and the text's") {
  LineBatch lines;
  lines.add(R"({"x":1,"id":2,"y":3})");
  parse(lines);
  overlay(lines, {"id", number(7)}, R"("id":2,)");
  overlay(lines, {"y", removed()}, R"(,"y":3)");
  CHECK(with_ids(lines) == "{\"x\":1," + kId + "0\"}\n");
  LineBatch text;
  text.add("gone");
  CHECK(with_ids(text, "log") == "{\"log\":\"0000000000000abc-0\"}\n");
  overlay(text, {"k", number(7)});
  CHECK(with_ids(text, "log") == "{\"k\":7,\"log\":\"0000000000000abc-0\"}\n");
}

TEST_CASE("records of a batch without a source have no id") {
  LineBatch lines;
  lines.add(R"({"id":1})");
  parse(lines);
  EncodeOptions how;
  how.date_key.clear();
  how.id_key = "id";
  CHECK(encoded(lines, how) == "{\"id\":1}\n");
}

TEST_CASE("names that clash within the conf are written once") {
  Origin origin;
  origin.text_key = "date";
  origin.attached = {{"host", "a"}, {"host", "b"}};
  origin.offset_key = "host";
  LineBatch lines(origin);
  lines.add("x");
  CHECK(encoded(lines) == "{\"host\":\"b\",\"date\":\"x\"}\n");
}

TEST_CASE("the overlay cuts parts out of a body and adds others behind it") {
  LineBatch lines;
  lines.add(R"({"a":1,"b":2,"c":3})");
  parse(lines);
  overlay(lines, {"b", string("new \xE9"), 0, 0}, "\"b\":2,");
  overlay(lines, {"n\"", number(-7), 0, 0});
  CHECK(encoded(lines, options(Format::plain)) == "{\"a\":1,\"c\":3,\"b\":\"new \xEF\xBF\xBD\",\"n\\\"\":-7}\n");
}

TEST_CASE("cuts may meet, come in any order and take everything") {
  LineBatch lines;
  lines.add(R"({"a":1,"b":2,"c":3})");
  parse(lines);
  overlay(lines, {"c", removed(), 0, 0}, ",\"c\":3");
  overlay(lines, {"b", removed(), 0, 0}, "\"b\":2,");
  CHECK(encoded(lines, options(Format::plain)) == "{\"a\":1}\n");
  overlay(lines, {"a", removed(), 0, 0}, "\"a\":1,");
  CHECK(encoded(lines, options(Format::plain)) == "{}\n");
  CHECK(encoded(lines) == "{\"date\":1700000000.123456}\n");
}

TEST_CASE("a removed key leaves its name free, a set one takes it") {
  LineBatch lines;
  lines.add(R"({"date":1,"x":2})");
  parse(lines);
  overlay(lines, {"date", removed(), 0, 0}, "\"date\":1,");
  CHECK(encoded(lines) == "{\"date\":1700000000.123456,\"x\":2}\n");
  lines->fields.back().value = number(5);
  CHECK(encoded(lines) == "{\"x\":2,\"date\":5}\n");
}

TEST_CASE("a record of fields writes each kind") {
  LineBatch lines;
  lines.add("").body = Body::fields;
  Value value;
  overlay(lines, {"null", value, 0, 0});
  value.kind = Value::Kind::boolean;
  value.integer = 1;
  overlay(lines, {"bool", value, 0, 0});
  value.kind = Value::Kind::uinteger;
  value.integer = -1;
  overlay(lines, {"big", value, 0, 0});
  value.kind = Value::Kind::real;
  value.real = 0.1;
  overlay(lines, {"real", value, 0, 0});
  value.kind = Value::Kind::json;
  value.text = "[1]";
  overlay(lines, {"json", value, 0, 0});
  CHECK(encoded(lines, options(Format::plain)) ==
        "{\"null\":null,\"bool\":true,\"big\":18446744073709551615,\"real\":0.1,\"json\":[1]}\n");
}

TEST_CASE("times differ from record to record, also in length") {
  LineBatch lines;
  for (const Nanos time : {9'000'000'000, 10'000'000'000, 1'700'000'000'000'000'000, 5'500'000'000}) {
    lines.time = time;
    lines.add("x");
  }
  CHECK(encoded(lines) ==
        "{\"date\":9.000000,\"log\":\"x\"}\n{\"date\":10.000000,\"log\":\"x\"}\n"
        "{\"date\":1700000000.000000,\"log\":\"x\"}\n{\"date\":5.500000,\"log\":\"x\"}\n");
}

TEST_CASE("raw sends the text, or the field that was asked for") {
  LineBatch lines;
  lines.add("as \"it\" is\xE9");
  lines.add(R"({"msg":"a\tb","n":1})");
  parse(lines);
  CHECK(encoded(lines, options(Format::raw)) == "as \"it\" is\xE9\n{\"msg\":\"a\\tb\",\"n\":1}\n");
  EncodeOptions keyed = options(Format::raw);
  keyed.raw_key = "msg";
  CHECK(encoded(lines, keyed) == "as \"it\" is\xE9\na\tb\n");
}

TEST_CASE("raw neighbours are referred to as one piece, their newlines included") {
  LineBatch lines;
  lines.add("first");
  lines.add("second");
  lines.add("third");
  EncodeOptions refer = options(Format::raw);
  refer.refer_above = 4;
  Encoder encoder(refer);
  Pieces out(lines.pool());
  encoder.encode(lines.all(), out, SIZE_MAX);
  REQUIRE(out.front().size() == 1);
  CHECK(out.front()[0].iov_base == lines->records[0].data);
  CHECK(joined(out) == "first\nsecond\nthird\n");
}

TEST_CASE("a body without its newline in place gets one behind it") {
  LineBatch lines;
  lines.add("a line with its carriage return\r").size -= 1;
  lines.add("cut at a limit, and the rest is gone").size = 3;
  EncodeOptions refer = options(Format::raw);
  for (const std::size_t above : {std::size_t{1}, SIZE_MAX}) {
    refer.refer_above = above;
    CHECK(encoded(lines, refer) == "a line with its carriage return\ncut\n");
  }
}

TEST_CASE("a large JSON body is referred to behind its own prefix") {
  const std::string large = R"({"k":")" + std::string(5000, 'x') + "\"}";
  LineBatch lines;
  lines.add(large);
  lines.add(R"({"small":1})");
  parse(lines);
  EncodeOptions refer;
  refer.refer_above = 4096;
  Encoder encoder(refer);
  Pieces out(lines.pool());
  encoder.encode(lines.all(), out, SIZE_MAX);
  REQUIRE(out.front().size() == 3);
  CHECK(out.front()[1].iov_base == lines->records[0].data + 1);
  CHECK(joined(out) ==
        "{\"date\":1700000000.123456," + large.substr(1) + "\n{\"date\":1700000000.123456,\"small\":1}\n");
}

TEST_CASE("plain JSON lines that nothing is added to go out as they came") {
  LineBatch lines;
  lines.add(R"({"a":1})");
  lines.add(R"({"b":2})");
  lines.add("text");
  parse(lines);
  EncodeOptions refer = options(Format::plain);
  refer.refer_above = 10;
  Encoder encoder(refer);
  Pieces out(lines.pool());
  encoder.encode(lines.all(), out, SIZE_MAX);
  CHECK(out.front()[0].iov_base == lines->records[0].data);
  CHECK(joined(out) == "{\"a\":1}\n{\"b\":2}\n{\"log\":\"text\"}\n");
}

TEST_CASE("stdout's and file's own formats look like Fluent Bit's") {
  LineBatch lines;
  lines.add("x \"y\"");
  lines.add(R"({"k":{"a":[1,2],"b":"c:d,e"}})");
  parse(lines);
  CHECK(encoded(lines, options(Format::fluent)) ==
        "[0] t: [[1700000000.123456000, {}], {\"log\"=>\"x \\\"y\\\"\"}]\n"
        "[1] t: [[1700000000.123456000, {}], {\"k\"=>{\"a\"=>[1, 2], \"b\"=>\"c:d,e\"}}]\n");
  CHECK(encoded(lines, options(Format::out_file)) ==
        "t: [1700000000.123456000, {\"log\":\"x \\\"y\\\"\"}]\n"
        "t: [1700000000.123456000, {\"k\":{\"a\":[1,2],\"b\":\"c:d,e\"}}]\n");
}

TEST_CASE("rows and arrays are made of the same fields as objects") {
  LineBatch lines;
  lines.add(R"({"a":"x","b":1})");
  lines.add(R"({"a":"y\"z","b":null})");
  parse(lines);
  CHECK(encoded(lines, options(Format::csv)) == "1700000000.123456000,\"x\",1\n1700000000.123456000,\"y\"\"z\",\n");
  CHECK(encoded(lines, options(Format::ltsv)).starts_with("\"time\":1700000000.123456000\t\"a\":\"x\"\t\"b\":1\n"));
  EncodeOptions row = options(Format::row);
  row.row_template = "{b}-{a}";
  CHECK(encoded(lines, row) == "1-x\nnull-y\"z\n");
  EncodeOptions array = options(Format::json);
  array.date_key.clear();
  array.run_begin = "[";
  array.run_end = "]\n";
  CHECK(encoded(lines, array) == "[{\"a\":\"x\",\"b\":1},{\"a\":\"y\\\"z\",\"b\":null}]\n");
}

TEST_CASE("an array whose records find no memory is not begun") {
  LineBatch lines({}, 600 * 1024);
  lines.add(std::string(200'000, '\x01'));
  EncodeOptions array = options(Format::json);
  array.run_begin = "[";
  array.run_end = "]\n";
  Encoder encoder(array);
  Pieces out(lines.pool());
  CHECK(encoder.encode(lines.all(), out, SIZE_MAX) == 0);
  CHECK(out.empty());
}

TEST_CASE("lines are numbered until a restart") {
  LineBatch lines;
  lines.add("x");
  Encoder encoder(options(Format::fluent));
  Pieces out(lines.pool());
  encoder.encode(lines.all(), out, SIZE_MAX);
  encoder.encode(lines.all(), out, SIZE_MAX);
  CHECK(joined(out).find("\n[1] t") != std::string::npos);
  encoder.restart();
  encoder.encode(lines.all(), out, SIZE_MAX);
  CHECK(joined(out).rfind("[0] t") > 10);
}

TEST_CASE("encoding stops at the size asked for and goes on from there") {
  LineBatch lines;
  for (int i = 0; i < 10; ++i) lines.add("0123456789");
  Encoder encoder(options(Format::raw));
  Pieces out(lines.pool());
  Part part = lines.all();
  CHECK(encoder.encode(part, out, 33) == 3);
  part.first += 3;
  CHECK(encoder.encode(part, out, 33) == 0);
  CHECK(encoder.encode(part, out, 34) == 1);
}

TEST_CASE("without memory a record is not written at all") {
  LineBatch lines({}, 600 * 1024);
  for (int i = 0; i < 100; ++i) lines.add(std::string(1000, '\x01'));
  const std::size_t one = std::string("{\"date\":1700000000.123456,\"log\":\"\"}\n").size() + 6000;
  Encoder encoder(EncodeOptions{});
  Pieces out(lines.pool());
  const std::uint32_t written = encoder.encode(lines.all(), out, SIZE_MAX);
  CHECK(written > 0);
  CHECK(written < 100);
  CHECK(out.size() == written * one);
}

TEST_CASE("a record larger than a chunk, escaped or not, is written whole") {
  LineBatch lines;
  lines.add(std::string(300'000, 'x'));
  lines.add(std::string(300'000, '"'));
  const std::string text = encoded(lines, options(Format::plain));
  CHECK(text.size() == 300'000 + 600'000 + 2 * std::string("{\"log\":\"\"}\n").size());
}

TEST_CASE("whatever a line holds, strict readers take what is written") {
  std::mt19937 random(3);
  LineBatch lines;
  const std::string_view alphabet = "{}[]\":,\\abu0123\x01\x80\xC3\xA9\xED\xA0\xFF ";
  for (int i = 0; i < 2000; ++i) {
    std::string line;
    for (std::size_t size = random() % 60; size > 0; --size) line += alphabet[random() % alphabet.size()];
    lines.add(line);
  }
  parse(lines);
  const std::string text = encoded(lines);
  std::size_t from = 0;
  for (std::size_t count = 0; count < lines->records.size(); ++count) {
    const std::size_t end = text.find('\n', from);
    REQUIRE(is_strict_object(std::string_view(text).substr(from, end - from)));
    from = end + 1;
  }
  CHECK(from == text.size());
}

TEST_CASE("replacements are counted") {
  LineBatch lines;
  lines.add(
      "a\xFF"
      "b\xFE");
  Encoder encoder(EncodeOptions{});
  Pieces out(lines.pool());
  encoder.encode(lines.all(), out, SIZE_MAX);
  CHECK(encoder.repaired() == 2);
}

}  // namespace logweir
