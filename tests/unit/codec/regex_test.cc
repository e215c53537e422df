// SPDX-License-Identifier: Apache-2.0
#include "codec/regex.h"

#include <doctest/doctest.h>

#include <string>

namespace logweir {

namespace {

bool matches(std::string_view pattern, std::string_view text) { return Regex::compile(pattern).value().matches(text); }

}  // namespace

TEST_CASE("patterns are searched for in the text") {
  CHECK(matches("err(or)?", "an error"));
  CHECK_FALSE(matches("^err", "an error"));
  CHECK(matches("^(?<level>[A-Z]+) ", "WARN x"));
  CHECK(matches("", ""));
  CHECK(matches("a.c", std::string_view("a\0c", 3)));
}

TEST_CASE("as in Ruby, anchors know the lines of a joined text and a dot does not cross them") {
  CHECK(matches("^second$", "first\nsecond\nthird"));
  CHECK_FALSE(matches("first.second", "first\nsecond"));
}

TEST_CASE("slashes may carry options") {
  CHECK(matches("/ERROR/i", "an error"));
  CHECK(matches("/first.second/m", "first\nsecond"));
  CHECK(matches("/a b # comment/x", "ab"));
  CHECK(matches("/plain/", "plain"));
  CHECK(matches("/var/log", "in /var/log/x"));
  CHECK(matches("/", "a/b"));
}

TEST_CASE("text need not be UTF-8, and a pattern that speaks of characters finds whole ones") {
  CHECK(matches("x.y", "x\xE9y"));
  CHECK(matches("^caf\xC3\xA9.$", "caf\xC3\xA9\xE2\x82\xAC"));
  CHECK(matches("\\p{Cyrillic}", "\xFF \xD0\xB6"));
  CHECK_FALSE(matches("\xC3\xA9", "\xFF\xC3"));
  CHECK(matches("\xE9", "caf\xE9"));  // not UTF-8 itself: bytes
}

TEST_CASE("a pattern that runs away is given up and counted") {
  const Regex regex = Regex::compile("(a+)+$").value();
  CHECK_FALSE(regex.matches(std::string(40, 'a') + "b"));
  CHECK(regex.limits_hit() == 1);
  CHECK(regex.matches("aaa"));
}

TEST_CASE("a broken pattern says where") {
  const Status status = Regex::compile("ab(c").status();
  CHECK(status.message().find("ab(c") != std::string::npos);
  CHECK(status.message().find("character 5") != std::string::npos);
}

}  // namespace logweir
