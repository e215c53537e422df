// SPDX-License-Identifier: Apache-2.0
#include "loop/mailbox.h"

#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

#include "support/run_loop.h"

using namespace logweir;

TEST_CASE("messages of several threads all arrive, each sender's in its order") {
  SystemClock clock;
  Loop loop(clock);
  std::vector<int> next(4);
  int wrong = 0;
  Mailbox<std::pair<int, int>> box(loop, [&](std::pair<int, int>&& message) {
    if (next[static_cast<std::size_t>(message.first)]++ != message.second) ++wrong;
  });
  std::vector<std::thread> senders;
  for (int who = 0; who < 4; ++who) {
    senders.emplace_back([&box, who] {
      for (int i = 0; i < 5000; ++i) box.send({who, i});
    });
  }
  CHECK(run_until(loop, [&] { return next == std::vector<int>(4, 5000); }));
  CHECK(wrong == 0);
  for (std::thread& sender : senders) sender.join();
}

TEST_CASE("a message handler may send to its own mailbox") {
  SystemClock clock;
  Loop loop(clock);
  Mailbox<int>* self = nullptr;
  int last = 0;
  Mailbox<int> box(loop, [&](int&& n) {
    last = n;
    if (n < 10) self->send(n + 1);
  });
  self = &box;
  box.send(1);
  CHECK(run_until(loop, [&] { return last == 10; }));
}

TEST_CASE("two loops talk to each other through mailboxes") {
  SystemClock clock;
  Loop here(clock);
  int rallies = 0;
  Mailbox<int>* there_box = nullptr;
  Mailbox<int> here_box(here, [&](int&& n) {
    rallies = n;
    if (n < 1000) there_box->send(n + 1);
  });
  Wakeup* quit = nullptr;
  std::thread other([&] {
    Loop there(clock);
    Mailbox<int> box(there, [&](int&& n) { here_box.send(n + 1); });
    Wakeup stop(there, [&] { there.stop(); });
    quit = &stop;
    there_box = &box;
    here_box.send(0);
    there.run();
  });
  CHECK(run_until(here, [&] { return rallies >= 1000; }));
  quit->ring();
  other.join();
}

TEST_CASE("a wake-up hears calls that came before the loop ran, as one") {
  SystemClock clock;
  Loop loop(clock);
  int heard = 0;
  Wakeup wakeup(loop, [&] { ++heard; });
  for (int i = 0; i < 10; ++i) wakeup.ring();
  CHECK(run_until(loop, [&] { return heard > 0; }));
  CHECK(heard == 1);
}
