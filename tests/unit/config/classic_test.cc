// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "config/tree.h"

namespace logweir {
namespace {

struct Conf {
  Problems problems;
  ConfTree tree;
  explicit Conf(std::string_view text) : tree(read_conf_text(text, "a.conf", problems)) {}
};

std::string at(const Node& node, std::string_view key) {
  const Node* value = node.find(key);
  return value != nullptr ? value->scalar : "(none)";
}

TEST_CASE("sections and entries are read in any case and order") {
  const Conf conf(
      "[service]\n    Flush 1\n[INPUT]\n    Name tail\n    Path /a b\n[Output]\n    name null\n    match *\n");
  CHECK(conf.problems.text().empty());
  CHECK(at(conf.tree.service, "flush") == "1");
  CHECK(at(conf.tree.inputs.at(0), "path") == "/a b");
  CHECK(at(conf.tree.outputs.at(0), "match") == "*");
}

TEST_CASE("tabs, CRLF, trailing blanks, blank lines and a byte order mark do no harm") {
  const Conf conf(
      "\xef\xbb\xbf[INPUT]\r\n\tName\ttail\r\n \t \r\n  Tag \t app \t\r\n# x\r\n    # y\r\nPath\t/x\r\n[OUTPUT]\r\n "
      "Name null");
  CHECK(conf.problems.text().empty());
  CHECK(at(conf.tree.inputs.at(0), "tag") == "app");
  CHECK(at(conf.tree.inputs.at(0), "path") == "/x");
  CHECK(at(conf.tree.outputs.at(0), "name") == "null");
}

TEST_CASE("a hash sign in a value belongs to the value") {
  CHECK(at(Conf("[SERVICE]\n  a x # y\n").tree.service, "a") == "x # y");
}

TEST_CASE("repeated keys stay in order and SERVICE sections are one") {
  const Conf conf("[SERVICE]\n a 1\n[FILTER]\n Regex x 1\n Regex y 2\n[SERVICE]\n a 2\n");
  CHECK(conf.tree.service.entries.size() == 2);
  CHECK(at(conf.tree.service, "a") == "2");
  CHECK(conf.tree.filters.at(0).entries.at(0).second.scalar == "x 1");
  CHECK(conf.tree.filters.at(0).entries.at(1).second.scalar == "y 2");
}

TEST_CASE("@SET gives variables to the whole conf") {
  const Conf conf("@SET A=1 2\n[INPUT]\n path ${A}/${B:-b}\n  @set b = 3\n tag ${b}\n");
  CHECK(conf.problems.text().empty());
  CHECK(at(conf.tree.inputs.at(0), "path") == "1 2/b");
  CHECK(at(conf.tree.inputs.at(0), "tag") == "3");
}

TEST_CASE("parsers and multi-line parsers are sections") {
  const Conf conf("[PARSER]\n name j\n[MULTILINE_PARSER]\n name m\n");
  CHECK(at(conf.tree.parsers.at(0), "name") == "j");
  CHECK(at(conf.tree.multiline_parsers.at(0), "name") == "m");
}

TEST_CASE("places count lines and columns from one") {
  const Conf conf("[INPUT]\n    Name   tail\n");
  const Node& input = conf.tree.inputs.at(0);
  CHECK(input.place.text() == "a.conf:1:1");
  CHECK(input.key_places.at(0).text() == "a.conf:2:5");
  CHECK(input.entries.at(0).second.place.text() == "a.conf:2:12");
}

TEST_CASE("sections of Fluent Bit that are not built are warnings, their entries no errors") {
  const Conf conf("[UPSTREAM]\n name x\n[NODE]\n a b\n[PLUGINS]\n c d\n[CUSTOM]\n[STREAM_TASK]\n");
  CHECK_FALSE(conf.problems.failed());
  CHECK(conf.problems.all().size() == 5);
}

TEST_CASE("a file without a telling name is read by its content") {
  Problems problems;
  CHECK(read_conf_text("# x\n\n[INPUT]\n name a\n", "conf", problems).inputs.size() == 1);
  CHECK(read_conf_text("pipeline:\n  inputs:\n  - name: a\n", "conf", problems).inputs.size() == 1);
  CHECK(read_conf_text("{\"pipeline\": {\"inputs\": [{\"name\": \"a\"}]}}", "x.conf", problems).inputs.size() == 1);
  CHECK(problems.text().empty());
}

}  // namespace
}  // namespace logweir
