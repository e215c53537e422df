// SPDX-License-Identifier: Apache-2.0
#include "codec/access.h"

#include <doctest/doctest.h>

#include <string>

#include "codec/parser_options.h"
#include "support/line_batch.h"

namespace logweir {

namespace {

std::string look_up(LineBatch& lines, std::string_view path) {
  std::string scratch;
  const auto text = Accessor::parse(path).value().text(*lines, lines->records.back(), scratch);
  return text ? std::string(*text) : "none";
}

void add_json(LineBatch& lines, std::string_view text) {
  lines.add(text);
  ParserOptions json;
  json.format = "json";
  make_decoder(json).value()->decode(*lines, 0);
}

}  // namespace

TEST_CASE("a text record has its text, its offset and what is attached") {
  Origin origin;
  origin.attached = {{"file", "a.log"}};
  origin.offset_key = "offset";
  LineBatch lines(origin);
  lines.add("skipped");
  lines.add("hello");
  CHECK(look_up(lines, "log") == "hello");
  CHECK(look_up(lines, "$log") == "hello");
  CHECK(look_up(lines, "file") == "a.log");
  CHECK(look_up(lines, "offset") == "8");
  CHECK(look_up(lines, "other") == "none");
}

TEST_CASE("a JSON body's values come as what they mean") {
  LineBatch lines;
  add_json(lines, R"({"s":"x","e":"a\n\u00e9","n":-1.50e3,"t":true,"z":null,"o":{"k":[1]},"":"empty","a.b":"dot"})");
  CHECK(look_up(lines, "s") == "x");
  CHECK(look_up(lines, "e") == "a\n\xC3\xA9");
  CHECK(look_up(lines, "n") == "-1.50e3");
  CHECK(look_up(lines, "t") == "true");
  CHECK(look_up(lines, "z") == "none");
  CHECK(look_up(lines, "o") == "{\"k\":[1]}");
  CHECK(look_up(lines, "a.b") == "dot");
  CHECK(look_up(lines, "log") == "none");
}

TEST_CASE("paths lead through objects and arrays") {
  LineBatch lines;
  add_json(lines, R"({"a":{"b":[ {"c":"x"} , [7,8] , "last" ],"d e":{"]":1}},"k":"text"})");
  CHECK(look_up(lines, "$a['b'][0]['c']") == "x");
  CHECK(look_up(lines, "$a['b'][1][1]") == "8");
  CHECK(look_up(lines, "$a[\"b\"][2]") == "last");
  CHECK(look_up(lines, "$a['b'][3]") == "none");
  CHECK(look_up(lines, "$a['d e'][']']") == "1");
  CHECK(look_up(lines, "$a['b']['c']") == "none");
  CHECK(look_up(lines, "$k['b']") == "none");
  CHECK(look_up(lines, "$a[0]") == "none");
}

TEST_CASE("the overlay comes before the body") {
  LineBatch lines;
  add_json(lines, R"({"a":1,"b":2})");
  Field field;
  field.key = "a";
  field.value.kind = Value::Kind::removed;
  lines->fields.push_back(field);
  field.key = "n";
  field.value.kind = Value::Kind::json;
  field.value.text = lines.store(R"({"x":[true]})");
  lines->fields.push_back(field);
  field.key = "r";
  field.value.kind = Value::Kind::real;
  field.value.real = 1.5;
  lines->fields.push_back(field);
  lines->records.back().field_count = 3;
  CHECK(look_up(lines, "a") == "none");
  CHECK(look_up(lines, "b") == "2");
  CHECK(look_up(lines, "$n['x'][0]") == "true");
  CHECK(look_up(lines, "r") == "1.5");
  CHECK(look_up(lines, "$r['x']") == "none");
}

TEST_CASE("a path that can't be read is refused in a sentence") {
  for (const std::string_view path : {"", "$", "$['a']", "$a[", "$a['b", "$a['b'", "$a[b]", "$a['b']c", "$a[-1]",
                                      "$a[1", "$a[]", "$a[99999999999999999999]"}) {
    CAPTURE(path);
    CHECK_FALSE(Accessor::parse(path).ok());
  }
}

}  // namespace logweir
