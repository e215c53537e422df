// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "plugins/inputs/tail/moves.h"

namespace logweir::tail {

TEST_CASE("a name that was given by rename leads to the stream of the first name, also over several renames") {
  Moves moves;
  moves.from(1, "app.log", true);
  moves.to(1, "app.log.1");
  CHECK(moves.stream_of("app.log.1") == "app.log");
  moves.from(2, "app.log.1", false);
  moves.to(2, "app.log.2");
  CHECK(moves.stream_of("app.log.2") == "app.log");
  CHECK(moves.stream_of("app.log.1").empty());
}

TEST_CASE("a rename of a name that nobody asks for says nothing") {
  Moves moves;
  moves.from(1, "other", false);
  moves.to(1, "app.log.1");
  CHECK(moves.stream_of("app.log.1").empty());
}

TEST_CASE("another file at the name has nothing to do with what was renamed there") {
  Moves moves;
  moves.from(1, "app.log", true);
  moves.to(1, "app.log.1");
  moves.other("app.log.1");
  CHECK(moves.stream_of("app.log.1").empty());
  moves.from(2, "app.log", true);
  moves.to(2, "app.log.1");
  moves.to(3, "app.log.1");  // from a place where nobody listens
  CHECK(moves.stream_of("app.log.1").empty());
}

TEST_CASE("renames are forgotten some seconds after the last one, however many other events come") {
  Moves moves;
  moves.forget_old(100 * kSecond);
  moves.from(1, "app.log", true);
  moves.to(1, "app.log.1");
  moves.forget_old(101 * kSecond);
  CHECK(moves.stream_of("app.log.1") == "app.log");
  for (int i = 2; i < 10; ++i) moves.forget_old((100 + i) * kSecond);
  CHECK(moves.stream_of("app.log.1").empty());
}

}  // namespace logweir::tail
