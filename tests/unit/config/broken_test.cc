// SPDX-License-Identifier: Apache-2.0
// Broken confs of both formats: each must name its place and say the key sentence.
#include <doctest/doctest.h>

#include <array>

#include "config/tree.h"

namespace logweir {
namespace {

using namespace std::literals;

struct Broken {
  std::string_view text;
  std::string_view said;  // a part of the problem's line, place included
};

constexpr std::array kYaml = {
    Broken{"a: *\n", "x.yaml:1:5: error: not YAML: a value that begins with '*' must be in quotes"},
    Broken{"service:\n  m: *app\n", "x.yaml:2:6: error: not YAML: a value that begins with '*' must be in quotes"},
    Broken{"a: *.log\n", "x.yaml:1:4: error: not YAML: a value that begins with '*'"},
    Broken{"service:\n\tflush: 1\n", "x.yaml:2:7: error: not YAML: a tab in the indentation"},
    Broken{"service: {flush: 1\n", "x.yaml:1:10: error: not YAML: the '{' that opens here has no '}'"},
    Broken{"service:\n  a: [1, 2\n", "x.yaml:2:6: error: not YAML: the '[' that opens here has no ']'"},
    Broken{"service: ]\n", "x.yaml:1:10: error: not YAML: this bracket closes nothing"},
    Broken{"service:\n  a: b: c\n", "x.yaml:2:7: error: not YAML: a ':' that no key can have here"},
    Broken{"service:\n    a: 1\n  b: 2\n",
           "x.yaml:3:3: error: not YAML: this line does not fit into the map around it"},
    Broken{"pipeline:\n  inputs:\n    - name: a\n   - name: b\n",
           "x.yaml:4:4: error: not YAML: this line does not fit"},
    Broken{"service:\n  a: \"open\n", "x.yaml:2:6: error: not YAML: the quote that opens here is not closed"},
    Broken{"service:\n  a: @x\n", "x.yaml:2:6: error: not YAML: a value can't begin with this sign"},
    Broken{"service:\n  a: \"\\q\"\n", "x.yaml:2:9: error: not YAML: unknown escape character: q"},
    Broken{"service:\n  a: &x [*x]\n",
           "x.yaml:2:10: error: not YAML: an alias may not stand inside the value that it names"},
    Broken{"service:\n  ? [a]\n  : b\n", "x.yaml:2:5: error: not YAML: a key must be a plain text"},
    Broken{"service: {a: 1}\n\0"sv, "x.yaml:2:1: error: byte 0x00 can't stand in YAML"},
    Broken{"\xff\xfes\0"sv, "x.yaml:1:1: error: the file is in UTF-16"},
    Broken{"- a\n", "x.yaml:1:1: error: a conf is a map with the keys service, env, includes"},
    Broken{"just text\n", "x.yaml:1:1: error: a conf is a map"},
    Broken{"# old\n[SERVICE]\n  Flush 1\n", "x.yaml: error: the name says YAML, but [SERVICE] is Fluent Bit's"},
    Broken{"\"a\"\n, b\n", "x.yaml:2:1: error: not YAML: nothing can begin with this sign"},
    Broken{"servce: {}\n", "x.yaml:1:1: error: unknown section 'servce'; did you mean 'service'?"},
    Broken{"colour: red\n", "x.yaml:1:1: error: unknown section 'colour'; the known ones are service"},
    Broken{"service: [1]\n", "x.yaml:1:10: error: 'service' must be a map of keys; found a list"},
    Broken{"service: on\n", "x.yaml:1:10: error: 'service' must be a map of keys; found a text"},
    Broken{"pipeline: [a]\n",
           "x.yaml:1:11: error: 'pipeline' must be a map with inputs, filters and outputs; found a list"},
    Broken{"pipeline:\n  input: []\n", "x.yaml:2:3: error: unknown key 'input' in 'pipeline'; did you mean 'inputs'?"},
    Broken{"pipeline:\n  inputs:\n    name: tail\n",
           "x.yaml:3:5: error: 'inputs' must be a list (write '- name: ...'); found a map"},
    Broken{"pipeline:\n  outputs:\n    - stdout\n",
           "x.yaml:3:7: error: an entry of 'outputs' must be a map with 'name'; found a text"},
    Broken{"parsers: {name: x}\n", "x.yaml:1:10: error: 'parsers' must be a list"},
    Broken{"env: 5\n", "x.yaml:1:6: error: 'env' must be a map of names and values; found a text"},
    Broken{"env: {A: [1]}\n", "x.yaml:1:10: error: 'A' must be one text; found a list"},
    Broken{"env:\n  - name: A\n", "x.yaml:2:5: error: an entry of the 'env' list needs 'name' and 'value'"},
    Broken{"includes: {a: b}\n", "x.yaml:1:11: error: 'includes' must be a list of paths; found a map"},
    Broken{"includes:\n  - [a]\n", "x.yaml:2:5: error: 'includes' must be a list of paths; found a list"},
};

constexpr std::array kClassic = {
    Broken{"[INPUT\n    Name tail\n", "x.conf:1:1: error: the section header '[INPUT' has no ']'"},
    Broken{"[INPTU]\n    Name tail\n", "x.conf:1:1: error: unknown section [INPTU]; did you mean [INPUT]?"},
    Broken{"[COLOUR]\n", "x.conf:1:1: error: unknown section [COLOUR]; the known ones are SERVICE, INPUT"},
    Broken{"[]\n", "x.conf:1:1: error: unknown section []"},
    Broken{"[INPUT] tail\n", "x.conf:1:9: error: nothing may follow a section header on its line"},
    Broken{"[INPUT]\n    Name\n", "x.conf:2:5: error: the key 'Name' has no value"},
    Broken{"# a\n  Name tail\n[INPUT]\n", "x.conf:2:3: error: 'Name' stands before the first section"},
    Broken{"@SET A\n", "x.conf:1:1: error: @SET must be followed by NAME=value"},
    Broken{"@SET =5\n", "x.conf:1:1: error: @SET must be followed by NAME=value"},
    Broken{"@INCLUDE\n", "x.conf:1:1: error: @INCLUDE must be followed by a path"},
    Broken{"@INCLUD x\n", "x.conf:1:1: error: unknown command '@INCLUD'; did you mean @INCLUDE?"},
    Broken{"@COLOUR x\n", "x.conf:1:1: error: unknown command '@COLOUR'; the known ones are @SET and @INCLUDE"},
    Broken{"[INPUT]\n  Name=tail\n", "x.conf:2:3: error: the key 'Name=tail' has no value; write 'Name tail'"},
    Broken{"[INPUT]\n  Name: tail\n", "x.conf:2:3: error: 'Name:' is no key: a blank stands between a key"},
    Broken{"[INPUT]\n  ; old\n", "x.conf:2:3: error: ';' is no key: a comment begins with '#'"},
    Broken{"[MULTILINE_PARSER]\n  rule \"a\" \"/x/\n", "x.conf:2:8: error: a rule is three texts in double quotes"},
    Broken{"\xff\xfe[\0"sv, "x.conf:1:1: error: the file is in UTF-16"},
    Broken{"[INPUT]\n  a b\0c\n"sv, "x.conf:2:6: error: a zero byte in a conf"},
};

void must_say(const Broken& broken, const std::string& name) {
  Problems problems;
  read_conf_text(broken.text, name, problems);
  CHECK_MESSAGE(problems.failed(), broken.text);
  CHECK_MESSAGE(problems.text().find(broken.said) != std::string::npos, problems.text());
}

TEST_CASE("every broken YAML conf says where and what") {
  for (const Broken& broken : kYaml) must_say(broken, "x.yaml");
}

TEST_CASE("every broken classic conf says where and what") {
  for (const Broken& broken : kClassic) must_say(broken, "x.conf");
}

TEST_CASE("all faults are told, not only the first") {
  Problems problems;
  read_conf_text("[INPUT\n[OUTPT]\n[FILTER]\n  Name\n@X\n", "x.conf", problems);
  CHECK(problems.all().size() == 4);
}

}  // namespace
}  // namespace logweir
