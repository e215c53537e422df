// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>

#include "config/tree.h"

namespace logweir {
namespace {

struct Conf {
  Problems problems;
  ConfTree tree;
  explicit Conf(std::string_view text) : tree(read_conf_text(text, "a.yaml", problems)) {}
};

std::string at(const Node& node, std::string_view key) {
  const Node* value = node.find(key);
  return value != nullptr ? value->scalar : "(none)";
}

TEST_CASE("all sections end in the tree") {
  const Conf conf(
      "service: {flush: 1}\n"
      "parsers: [{name: j, format: json}]\n"
      "multiline_parsers: [{name: m}]\n"
      "pipeline:\n"
      "  inputs: [{name: tail}, {name: tcp}]\n"
      "  filters: [{name: grep}]\n"
      "  outputs: [{name: stdout}]\n");
  CHECK(conf.problems.text().empty());
  CHECK(at(conf.tree.service, "flush") == "1");
  CHECK(conf.tree.inputs.size() == 2);
  CHECK(conf.tree.filters.size() == 1);
  CHECK(conf.tree.outputs.size() == 1);
  CHECK(conf.tree.parsers.size() == 1);
  CHECK(conf.tree.multiline_parsers.size() == 1);
}

TEST_CASE("values keep their text") {
  const Conf conf("service: {a: 0123, b: on, c: null, d: ~, e: 1.50, f: 'x # y', g: }\n");
  CHECK(at(conf.tree.service, "a") == "0123");
  CHECK(at(conf.tree.service, "b") == "on");
  CHECK(at(conf.tree.service, "c") == "null");
  CHECK(at(conf.tree.service, "d") == "~");
  CHECK(at(conf.tree.service, "e") == "1.50");
  CHECK(at(conf.tree.service, "f") == "x # y");
  CHECK(at(conf.tree.service, "g").empty());
}

TEST_CASE("a null name is found behind wide characters and a byte order mark") {
  const Conf conf("\xef\xbb\xbfservice: {ü: ß, x: null}\n");
  CHECK(at(conf.tree.service, "x") == "null");
}

TEST_CASE("section names are taken in any case and as camelCase") {
  const Conf conf("Service: {flush: 1}\nmultilineParsers: [{name: m}]\nPIPELINE: {Inputs: [{name: tail}]}\n");
  CHECK(conf.problems.text().empty());
  CHECK(conf.tree.inputs.size() == 1);
  CHECK(conf.tree.multiline_parsers.size() == 1);
}

TEST_CASE("places count lines and columns from one") {
  const Conf conf("pipeline:\n  inputs:\n    - name: tail\n      path: /x\n");
  const Node& input = conf.tree.inputs.at(0);
  CHECK(input.place.text() == "a.yaml:3:7");
  CHECK(input.key_places.at(1).text() == "a.yaml:4:7");
  CHECK(input.entries.at(1).second.place.text() == "a.yaml:4:13");
}

TEST_CASE("one line of JSON per section is YAML too") {
  const Conf conf(
      "\"service\": {\"flush\": \"1\", \"parsers\": [\"a\", \"b\"]}\n"
      "\"pipeline\": {\"inputs\": [{\"name\": \"tail\", \"tag\": \"\\u00e9\\ud83d\\ude00\"}], \"filters\": []}\n");
  CHECK(conf.problems.text().empty());
  CHECK(conf.tree.service.find("parsers")->items.size() == 2);
  CHECK(at(conf.tree.inputs.at(0), "tag") == "é😀");
}

TEST_CASE("repeated keys are kept in order and the last is found") {
  const Conf conf("service:\n  flush: 1\n  Flush: 2\n");
  CHECK(conf.tree.service.entries.size() == 2);
  CHECK(at(conf.tree.service, "flush") == "2");
}

TEST_CASE("own variables go before the environment's, and a default before nothing") {
  ::setenv("LW_TEST_A", "outside", 1);
  ::setenv("LW_TEST_B", "b", 1);
  const Conf conf(
      "service: {a: '${LW_TEST_A}', b: 'x${LW_TEST_B}y', c: '${LW_TEST_NO:-d:-e}', d: '${LW_C}'}\n"
      "env: {LW_TEST_A: inside, LW_C: '${LW_TEST_A}2'}\n");
  CHECK(conf.problems.text().empty());
  CHECK(at(conf.tree.service, "a") == "inside");
  CHECK(at(conf.tree.service, "b") == "xby");
  CHECK(at(conf.tree.service, "c") == "d:-e");
  CHECK(at(conf.tree.service, "d") == "inside2");
}

TEST_CASE("env may be a list of names and values") {
  const Conf conf("env:\n  - name: LW_X\n    value: 7\nservice: {a: '${LW_X}'}\n");
  CHECK(at(conf.tree.service, "a") == "7");
}

TEST_CASE("an unset variable is empty, with a warning at its place") {
  const Conf conf("service: {a: 'x${LW_TEST_UNSET}'}\n");
  CHECK(at(conf.tree.service, "a") == "x");
  CHECK(conf.problems.text().find("a.yaml:1:14: warning: the variable 'LW_TEST_UNSET' is not set") == 0);
}

TEST_CASE("what only looks like a variable stays as it is") {
  const Conf conf("service: {a: '^a${1,3}$', b: '${', c: '$x', d: '${a b}'}\n");
  CHECK(conf.problems.text().empty());
  CHECK(at(conf.tree.service, "a") == "^a${1,3}$");
  CHECK(at(conf.tree.service, "b") == "${");
  CHECK(at(conf.tree.service, "d") == "${a b}");
}

TEST_CASE("anchors are put in where aliases stand") {
  const Conf conf("service:\n  a: &x [1, 2]\n  b: *x\n");
  CHECK(conf.problems.text().empty());
  CHECK(conf.tree.service.find("b")->items.size() == 2);
}

TEST_CASE("aliases that unfold without end are refused early") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) text += ", " + last;
    text += "]\n";
  }
  const Conf conf(text);
  CHECK(conf.problems.text().find("more than 500000 values") != std::string::npos);
}

TEST_CASE("depth is bounded") {
  const Conf conf("service: " + std::string(100, '[') + std::string(100, ']'));
  CHECK(conf.problems.text().find("nested deeper than 64 levels") != std::string::npos);
}

TEST_CASE("several documents are read as one conf, and an empty file is one") {
  CHECK(Conf("").problems.text().empty());
  CHECK(Conf("---\n").problems.text().empty());
  const Conf conf("---\nservice: {a: 1}\n---\nservice: {b: 2}\n");
  CHECK(conf.problems.text().empty());
  CHECK(conf.tree.service.entries.size() == 2);
}

TEST_CASE("sections of Fluent Bit that are not built are warnings") {
  const Conf conf("plugins: [x.so]\nstream_processor: []\nupstream_servers: []\ncustoms: []\nextensions: []\n");
  CHECK_FALSE(conf.problems.failed());
  CHECK(conf.problems.all().size() == 5);
}

TEST_CASE("a conf that stands by itself opens no file") {
  const Conf conf("includes: [/etc/passwd]\nservice: {parsers_file: /etc/passwd}\n");
  CHECK(conf.problems.all().size() == 2);
  CHECK(conf.problems.failed());
}

}  // namespace
}  // namespace logweir
