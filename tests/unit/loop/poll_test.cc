// SPDX-License-Identifier: Apache-2.0
#include "loop/poll.h"

#include <doctest/doctest.h>

#include <memory>

#include "support/run_loop.h"
#include "support/sockets.h"

using namespace logweir;

TEST_CASE("readiness is told as long as it lasts and it is wanted") {
  SystemClock clock;
  Loop loop(clock);
  SocketPair pair = unix_pair();
  int told = 0;
  Poll poll(loop, pair.left.get(), [&](unsigned events, int error) {
    CHECK(events == Poll::kReadable);
    CHECK(error == 0);
    ++told;
  });
  REQUIRE(poll.watch(Poll::kReadable).ok());
  say(pair.right, "x");
  CHECK(run_until(loop, [&] { return told >= 2; }));
  REQUIRE(poll.watch(0).ok());
  const int before = told;
  for (int i = 0; i < 5; ++i) loop.run_once();
  CHECK(told == before);
}

TEST_CASE("a poll may be destroyed by its own call and its descriptor closed at once") {
  SystemClock clock;
  Loop loop(clock);
  SocketPair pair = unix_pair();
  const auto captured = std::make_shared<int>(0);
  std::unique_ptr<Poll> poll;
  poll = std::make_unique<Poll>(loop, pair.left.get(), [&, captured](unsigned, int) {
    poll.reset();
    pair.left.reset();
    ++*captured;
  });
  REQUIRE(poll->watch(Poll::kWritable).ok());
  CHECK(run_until(loop, [&] { return *captured == 1; }));
  CHECK(captured.use_count() == 1);
}

TEST_CASE("a descriptor that can't be polled is refused when watched") {
  SystemClock clock;
  Loop loop(clock);
  FILE* file = tmpfile();
  Poll poll(loop, fileno(file), [](unsigned, int) {});
  CHECK_FALSE(poll.watch(Poll::kReadable).ok());
  fclose(file);
}
