// SPDX-License-Identifier: Apache-2.0
#include "spool/frontier.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace logweir {

TEST_CASE("the frontier moves over the prefix that is done") {
  Frontier frontier(5);
  frontier.done(6);
  CHECK(frontier.reached() == 5);
  CHECK(frontier.is_done(6));
  CHECK(frontier.is_done(4));
  CHECK_FALSE(frontier.is_done(5));
  frontier.done(5);
  CHECK(frontier.reached() == 7);
  frontier.done(10, 12);
  CHECK(frontier.reached() == 7);
  frontier.done(3, 10);
  CHECK(frontier.reached() == 12);
  frontier.done(12, 1'000'000'000'000);
  CHECK(frontier.reached() == 1'000'000'000'000);
}

TEST_CASE("the frontier agrees with a set whatever the order") {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::uint64_t first = 1 + random() % 200;
    Frontier frontier(first);
    std::set<std::uint64_t> done;
    std::uint64_t expected = first;
    for (int i = 0; i < 600; ++i) {
      const std::uint64_t begin = first + random() % 700;
      const std::uint64_t end = begin + 1 + random() % (i % 10 == 0 ? 150 : 2);
      frontier.done(begin, end);
      for (std::uint64_t s = begin; s != end; ++s) done.insert(s);
      while (done.count(expected) != 0) ++expected;
      REQUIRE(frontier.reached() == expected);
      const std::uint64_t any = first + random() % 900;
      REQUIRE(frontier.is_done(any) == (done.count(any) != 0));
    }
  }
}

}  // namespace logweir
