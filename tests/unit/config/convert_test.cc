// SPDX-License-Identifier: Apache-2.0
#include "config/convert.h"

#include <doctest/doctest.h>

namespace logweir {
namespace {

Repeated teller(RawItem::Kind, std::string_view, std::string_view key) {
  if (key == "parsers_file") return Repeated::comma_list;
  return key == "regex" ? Repeated::list : Repeated::last;
}

struct Converted {
  Problems problems;
  std::string yaml;
  explicit Converted(std::string_view text) : yaml(classic_to_yaml(text, "a.conf", teller, problems)) {}
};

TEST_CASE("sections become lists, in their order, with their comments") {
  const Converted made(
      "# The file.\n\n# The service.\n[SERVICE]\n    Flush 1\n\n# First.\n[INPUT] # here\n    # of the name\n    Name "
      "tail\n    Path /a/*.log\n    #Tag old\n\n[OUTPUT]\n    Name null\n    Match *\n[INPUT]\n    Name tcp\n# End.\n");
  CHECK(made.problems.text().empty());
  CHECK(
      made.yaml ==
      "# The file.\n\n# The service.\nservice:\n  flush: 1\n\npipeline:\n  inputs:\n    # First.\n    # here\n    # of "
      "the name\n    - name: tail\n      path: /a/*.log\n      #Tag old\n    - name: tcp\n\n  outputs:\n    - name: "
      "'null'\n      match: '*'\n# End.\n");
}

TEST_CASE("values are quoted where YAML would see something else") {
  const Converted made("[INPUT]\n a x: y\n b it's # so\n c ${A:-b}\n d 0123\n e a:b\n f tab\there\n \"g on\n");
  CHECK(made.yaml ==
        "pipeline:\n  inputs:\n    - a: 'x: y'\n      b: 'it''s # so'\n      c: ${A:-b}\n      d: 0123\n      e: a:b\n"
        "      f: \"tab\\x09here\"\n      \"\\\"g\": on\n");
}

TEST_CASE("a key that may repeat becomes a list, of another the last one counts") {
  const Converted made(
      "[SERVICE]\n Flush 5\n FLUSH 1\n Parsers_File a, b\n Parsers_File c\n[FILTER]\n Regex a x\n Name g\n regex b "
      "y\n");
  CHECK(
      made.yaml ==
      "service:\n  # flush 5  (given again below, which counts)\n  flush: 1\n  parsers_file:\n    - a\n    - b\n    - "
      "c\n\npipeline:\n  filters:\n    - regex:\n        - a x\n        - b y\n      name: g\n");
}

TEST_CASE("rules of multi-line parsers become maps") {
  CHECK(Converted("[MULTILINE_PARSER]\n Name m\n Rule \"start_state\" \"/a \\\"b/\" \"cont\"\n").yaml ==
        "multiline_parsers:\n  - name: m\n    rules:\n      - state: start_state\n        regex: '/a \"b/'\n        "
        "next_state: cont\n");
}

TEST_CASE("variables and includes stay as they are written, and nothing moves past an include") {
  const Converted made("@SET A=1\n[INPUT]\n Name a\n@INCLUDE more/*.conf\n[INPUT]\n Name ${B}\n");
  CHECK(
      made.yaml ==
      "env:\n  A: 1\n\npipeline:\n  inputs:\n    - name: a\n\nincludes:\n  - more/*.conf\n\n---\npipeline:\n  inputs:\n"
      "    - name: ${B}\n");
}

TEST_CASE("a variable that is set twice stays set twice") {
  CHECK(Converted("@SET A=1\n@SET B=${A}\n@SET A=2\n").yaml ==
        "env:\n  - name: A\n    value: 1\n  - name: B\n    value: ${A}\n  - name: A\n    value: 2\n");
}

TEST_CASE("what has no meaning here stays as a comment") {
  const Converted made("[PLUGINS]\n Path /x.so\n[INPUT]\n Name a\n");
  CHECK(made.yaml ==
        "pipeline:\n  inputs:\n    # [PLUGINS] has no meaning here\n    #     Path /x.so\n    - name: a\n");
  CHECK(made.problems.all().size() == 1);
}

TEST_CASE("a conf with a fault is not converted, and all faults are told") {
  const Converted made("[INPUT]\n Name\n[OUTPT]\n");
  CHECK(made.yaml.empty());
  CHECK(made.problems.text().find("a.conf:2:2: error") != std::string::npos);
  CHECK(made.problems.text().find("a.conf:3:1: error") != std::string::npos);
}

}  // namespace
}  // namespace logweir
