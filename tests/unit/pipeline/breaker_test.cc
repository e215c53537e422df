// SPDX-License-Identifier: Apache-2.0
#include "pipeline/breaker.h"

#include <doctest/doctest.h>

namespace logweir {

using State = Breaker::State;

TEST_CASE("a breaker opens after so many failures in a row and not before") {
  Breaker breaker({.failures = 3});
  CHECK_FALSE(breaker.failed(1));
  CHECK_FALSE(breaker.failed(2));
  CHECK_FALSE(breaker.answered(3));
  CHECK_FALSE(breaker.failed(4));
  CHECK_FALSE(breaker.failed(5));
  CHECK(breaker.state() == State::closed);
  CHECK(breaker.failed(6));
  CHECK(breaker.state() == State::open);
}

TEST_CASE("without a pause of its own an open breaker allows a probe at once, so the back-off alone decides") {
  Breaker breaker({.failures = 1});
  breaker.failed(100);
  CHECK(breaker.allows(100));
  CHECK(breaker.probes());
}

TEST_CASE("one probe is out at a time and its outcome decides") {
  Breaker breaker({.failures = 1, .pause = 10});
  breaker.failed(100);
  CHECK_FALSE(breaker.allows(109));
  CHECK(breaker.open_until() == 110);
  REQUIRE(breaker.allows(110));
  breaker.offering();
  CHECK(breaker.state() == State::half_open);
  CHECK_FALSE(breaker.allows(200));
  CHECK(breaker.failed(200));
  CHECK(breaker.state() == State::open);
  REQUIRE(breaker.allows(210));
  breaker.offering();
  CHECK(breaker.answered(220));
  CHECK(breaker.state() == State::closed);
  CHECK(breaker.allows(220));
  CHECK_FALSE(breaker.probes());
}

TEST_CASE("a probe that the output did not take may be offered again") {
  Breaker breaker({.failures = 1});
  breaker.failed(1);
  breaker.offering();
  breaker.none_taken();
  CHECK(breaker.allows(2));
  CHECK(breaker.state() == State::half_open);
}

TEST_CASE("a share of failures within the window opens it, an old one does not") {
  const Breaker::Options options{.failures = 0, .percent = 50, .window = 100, .attempts = 4};
  Breaker recent(options);
  recent.answered(1000);
  recent.answered(1001);
  recent.failed(1002);
  CHECK(recent.failed(1003));
  Breaker old(options);
  for (int i = 0; i < 3; ++i) CHECK_FALSE(old.failed(1000 + i));
  CHECK_FALSE(old.failed(1200));
  CHECK(old.state() == State::closed);
}

TEST_CASE("with both figures at 0 it never opens") {
  Breaker breaker({.failures = 0});
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(breaker.failed(i));
}

TEST_CASE("stopping ends a pause") {
  Breaker breaker({.failures = 1, .pause = 1000});
  breaker.failed(1);
  breaker.hurry();
  CHECK(breaker.allows(2));
}

}  // namespace logweir
