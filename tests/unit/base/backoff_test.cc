// SPDX-License-Identifier: Apache-2.0
#include "base/backoff.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace logweir;

TEST_CASE("waits stay between half the base and the doubled base, up to the cap") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Backoff backoff(kSecond, 60 * kSecond, seed);
    for (unsigned n = 0; n < 100; ++n) {
      const Nanos top = n < 6 ? kSecond << n : 60 * kSecond;
      const Nanos wait = backoff.next();
      CHECK(wait >= kSecond / 2);
      CHECK(wait <= top);
    }
  }
}

TEST_CASE("agents that lost one peer together come back apart") {
  std::vector<Nanos> third;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Backoff backoff(kSecond, 60 * kSecond, seed);
    for (int n = 0; n < 3; ++n) third.push_back(backoff.next());
    third.erase(third.end() - 3, third.end() - 1);
  }
  std::sort(third.begin(), third.end());
  CHECK(third.front() < kSecond);
  CHECK(third.back() > 3 * kSecond);
  CHECK(std::unique(third.begin(), third.end()) - third.begin() > 95);
}

TEST_CASE("success begins anew") {
  Backoff backoff(kSecond, 60 * kSecond, 7);
  for (int n = 0; n < 10; ++n) CHECK(backoff.next() > 0);
  CHECK(backoff.attempts() == 10);
  backoff.reset();
  CHECK(backoff.next() <= kSecond);
}

TEST_CASE("a base of nothing and a cap below it do no harm") {
  Backoff backoff(0, 0, 1);
  for (int n = 0; n < 100; ++n) CHECK(backoff.next() <= kMillisecond);
}
