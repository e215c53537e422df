// SPDX-License-Identifier: Apache-2.0
#include "loop/loop.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/fake_clock.h"
#include "support/run_loop.h"

using namespace logweir;

TEST_CASE("due timers run by the loop's clock, however long that stands still") {
  FakeClock clock;
  Loop loop(clock);
  int ran = 0;
  Timer timer(loop.timers(), [&] { ++ran; });
  timer.arm(clock.mono() + kSecond);
  run_turns(loop);
  CHECK(ran == 0);
  clock.advance(kSecond);
  loop.run_once();
  CHECK(ran == 1);
}

TEST_CASE("a turn runs timers, then posted work, then after-turn hooks") {
  FakeClock clock;
  Loop loop(clock);
  std::string order;
  AfterTurn hook(loop, [&] { order += 'h'; });
  Timer timer(loop.timers(), [&] {
    order += 't';
    loop.post([&] { order += 'p'; });
    hook.want();
    hook.want();
  });
  timer.arm(clock.mono());
  CHECK_FALSE(loop.run_once());
  CHECK(order == "tph");
}

TEST_CASE("work posted by posted work or a hook runs in the next turn, which does not wait") {
  FakeClock clock;
  Loop loop(clock);
  std::string order;
  AfterTurn hook(loop, [&] { loop.post([&] { order += '2'; }); });
  loop.post([&] {
    order += '1';
    hook.want();
  });
  CHECK(loop.run_once());
  CHECK(order == "1");
  CHECK_FALSE(loop.run_once());
  CHECK(order == "12");
}

TEST_CASE("a hook that wants again runs once per turn") {
  SystemClock clock;
  Loop loop(clock);
  int ran = 0;
  AfterTurn* self = nullptr;
  AfterTurn hook(loop, [&] {
    if (++ran == 5) return loop.stop();
    self->want();
  });
  self = &hook;
  hook.want();
  const std::uint64_t before = loop.stats().turns;
  loop.run();
  CHECK(ran == 5);
  CHECK(loop.stats().turns - before == 5);
}

TEST_CASE("a hook may destroy itself and hooks that wait behind it") {
  FakeClock clock;
  Loop loop(clock);
  int ran = 0;
  auto victim = std::make_unique<AfterTurn>(loop, [&] { ++ran; });
  std::unique_ptr<AfterTurn> killer;
  killer = std::make_unique<AfterTurn>(loop, [&] {
    victim.reset();
    killer.reset();
  });
  killer->want();
  victim->want();
  run_turns(loop);
  CHECK(ran == 0);
  CHECK(killer == nullptr);
}

TEST_CASE("a loop waits for its next timer and is neither early nor far too late") {
  SystemClock clock;
  Loop loop(clock);
  Nanos due = 0;
  std::vector<Nanos> late;
  Timer* self = nullptr;
  Timer timer(loop.timers(), [&] {
    late.push_back(loop.now() - due);
    if (late.size() == 20) return loop.stop();
    due = loop.now() + 3 * kMillisecond;
    self->arm(due);
  });
  self = &timer;
  due = loop.now();
  timer.arm(due);
  loop.run();
  for (const Nanos each : late) CHECK(each >= 0);
  CHECK(*std::min_element(late.begin(), late.end()) <= 3 * kMillisecond);
  CHECK(loop.stats().turns <= 45);  // at most one more wake-up than timers, never a busy wait
}

TEST_CASE("the time a turn spends away from waiting is counted, waiting is not") {
  SystemClock clock;
  Loop loop(clock);
  Timer timer(loop.timers(), [&] {
    const Nanos until = loop.now() + 20 * kMillisecond;
    while (loop.now() < until) {
    }
    loop.post([&] { loop.stop(); });
  });
  timer.arm(loop.now() + 60 * kMillisecond);
  loop.run();
  loop.run_once();
  CHECK(loop.stats().busy >= 20 * kMillisecond);
  CHECK(loop.stats().busy < 60 * kMillisecond);
  CHECK(loop.take_worst_turn() >= 20 * kMillisecond);
  CHECK(loop.take_worst_turn() == 0);
}

TEST_CASE("posted work that never ran is given up with its loop") {
  FakeClock clock;
  const auto kept = std::make_shared<int>(1);
  {
    Loop loop(clock);
    loop.post([kept] {});
    CHECK(kept.use_count() == 2);
  }
  CHECK(kept.use_count() == 1);
}

TEST_CASE("many due timers are run over several turns with posted work in between") {
  FakeClock clock;
  Loop loop(clock);
  int ran = 0;
  int seen = 0;
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 5000; ++i) {
    timers.push_back(std::make_unique<Timer>(loop.timers(), [&] { ++ran; }));
    timers.back()->arm(clock.mono());
  }
  loop.post([&] { seen = ran; });
  CHECK(loop.run_once());
  CHECK(seen > 0);
  CHECK(seen < 1000);
  run_turns(loop);
  CHECK(ran == 5000);
}
