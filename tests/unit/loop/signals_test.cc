// SPDX-License-Identifier: Apache-2.0
#include "loop/signals.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <vector>

#include "support/run_loop.h"

using namespace logweir;

TEST_CASE("signals are heard on the loop by their number") {
  SystemClock clock;
  Loop loop(clock);
  std::vector<int> heard;
  Signals signals(loop, {SIGUSR1, SIGUSR2}, [&](int number) { heard.push_back(number); });
  raise(SIGUSR2);
  CHECK(run_until(loop, [&] { return heard.size() == 1; }));
  raise(SIGUSR1);
  CHECK(run_until(loop, [&] { return heard.size() == 2; }));
  CHECK(heard == std::vector{SIGUSR2, SIGUSR1});
}

TEST_CASE("the hearer may end its signals") {
  SystemClock clock;
  Loop loop(clock);
  std::unique_ptr<Signals> signals;
  signals =
      std::make_unique<Signals>(loop, std::initializer_list<int>{SIGUSR1, SIGUSR2}, [&](int) { signals.reset(); });
  raise(SIGUSR1);
  CHECK(run_until(loop, [&] { return signals == nullptr; }));
}

TEST_CASE("a broken pipe is an error, not the end of the process") {
  SystemClock clock;
  Loop loop(clock);
  const Signals signals(loop, {}, [](int) {});
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  CHECK(write(ends[1], "x", 1) == -1);
  close(ends[1]);
}
