// SPDX-License-Identifier: Apache-2.0
#include "codec/row_text.h"

#include <doctest/doctest.h>

#include <string>

namespace logweir {
namespace {

constexpr Nanos kTime = 1'700'000'000'123'456'789;
constexpr std::string_view kObject =
    R"({"a" : "x \"y\"\n", "b":1.50,"c": {"d":[1,"e,}"]} ,"e":null,"f\u00e4":true, "g":"" })";

std::string csv(std::string_view object, std::string_view delimiter = ",") {
  std::string out;
  write_csv_row(out, kTime, object, delimiter);
  return out;
}

std::string filled(std::string_view text, std::string_view object) {
  std::string out;
  RowTemplate(text).write(out, kTime, object);
  return out;
}

}  // namespace

TEST_CASE("csv quotes strings and containers, doubles their quotes and leaves null empty") {
  CHECK(csv(kObject) == "1700000000.123456789,\"x \"\"y\"\"\n\",1.50,\"{\"\"d\"\":[1,\"\"e,}\"\"]}\",,true,\"\"");
  CHECK(csv(R"({"a":1,"b":"c"})", "\t") == "1700000000.123456789\t1\t\"c\"");
  CHECK(csv("{}") == "1700000000.123456789");
  CHECK(csv("{ }") == "1700000000.123456789");
}

TEST_CASE("csv names its columns as its rows have them") {
  std::string out;
  write_csv_names(out, kObject, ",");
  CHECK(out == "timestamp,\"a\",\"b\",\"c\",\"e\",\"f\xc3\xa4\",\"g\"");
}

TEST_CASE("ltsv keeps the JSON form of names and values, so that a row is a line") {
  std::string out;
  write_ltsv_row(out, kTime, R"({"a":"x\ty","b": {"c": 1}})", "\t", ":");
  CHECK(out == "\"time\":1700000000.123456789\t\"a\":\"x\\ty\"\t\"b\":{\"c\": 1}");
}

TEST_CASE("a template is filled with the time and fields; a name that is not there stays") {
  CHECK(filled("{time} {a}|{b}|{c}|{no} {", kObject) == "1700000000.123457 x \"y\"\\n|1.50|{\"d\":[1,\"e,}\"]}|{no} {");
  CHECK(filled("{} {fä}{fä}", kObject) == "{} truetrue");
  CHECK(filled("fixed", "{}") == "fixed");
  CHECK(filled("{g}{a}", R"({"g":"","a":"b"})") == "b");
}

TEST_CASE("a field's newline can't begin a line of its own in a template") {
  CHECK(filled("{a}", R"({"a":"one\ntwo\\three\u0000"})") == "one\\ntwo\\three\\u0000");
}

}  // namespace logweir
