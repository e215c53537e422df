// SPDX-License-Identifier: Apache-2.0
#include "codec/json_tree.h"

#include <doctest/doctest.h>

using namespace logweir;

TEST_CASE("a document becomes a tree; what is missing or of another kind reads as nothing") {
  const auto read = read_json(R"({"a":[1,-2.5,true,null],"t":"x\u00e4","t":"last","n":{"k":18446744073709551615}})");
  REQUIRE(read.ok());
  const JsonTree& tree = read.value();
  REQUIRE(tree.items_at("a").size() == 4);
  CHECK(tree.items_at("a")[1].number == -2.5);
  CHECK(tree.items_at("a")[2].truth);
  CHECK(tree.items_at("a")[3].kind == JsonTree::Kind::null);
  CHECK(tree.text_at("t") == "last");
  CHECK(tree.find("n")->number_at("k") > 1.8e19);
  CHECK(tree.number_at("t") == 0);
  CHECK(tree.text_at("a").empty());
  CHECK(tree.find("none") == nullptr);
  CHECK(tree.items_at("a")[0].find("a") == nullptr);
}

TEST_CASE("what is no JSON, or too deep, is refused in a sentence") {
  for (const char* bad : {"", "{", "{\"a\":}", "nul", "\"\xff\"", "[1,]"}) {
    CAPTURE(bad);
    CHECK(read_json(bad).status().code() == Code::invalid);
  }
  CHECK(read_json(std::string(32, '[') + std::string(32, ']')).ok());
  CHECK_FALSE(read_json(std::string(33, '[') + std::string(33, ']')).ok());
  CHECK_FALSE(read_json(std::string(100000, '[')).ok());
}
