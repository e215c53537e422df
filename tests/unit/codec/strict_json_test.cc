// SPDX-License-Identifier: Apache-2.0
#include "strict_json.h"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <set>

namespace logweir {

namespace {

bool keys_are_unique(const simdjson::dom::element& element) {
  if (element.is_array()) {
    const simdjson::dom::array array = element.get_array().value_unsafe();
    for (const auto item : array) {
      if (!keys_are_unique(item)) return false;
    }
  }
  if (element.is_object()) {
    std::set<std::string_view> keys;
    const simdjson::dom::object object = element.get_object().value_unsafe();
    for (const auto member : object) {
      if (!keys.insert(member.key).second || !keys_are_unique(member.value)) return false;
    }
  }
  return true;
}

}  // namespace

bool simdjson_takes(std::string_view text) {
  simdjson::dom::parser parser;
  return parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
}

bool is_strict_object(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(text.data(), text.size()).get(element) != simdjson::SUCCESS) return false;
  return element.is_object() && keys_are_unique(element);
}

TEST_CASE("the strict reader refuses what it should") {
  CHECK(is_strict_object(R"({"a":{"b":1},"b":[{"b":2}]})"));
  CHECK_FALSE(is_strict_object(R"({"a":[{"b":1,"\u0062":2}]})"));
  CHECK_FALSE(is_strict_object("[1]"));
  CHECK_FALSE(is_strict_object("{\"a\":\"\xFF\"}"));
}

}  // namespace logweir
