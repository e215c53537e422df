// SPDX-License-Identifier: Apache-2.0
#include "loop/timer_wheel.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

using namespace logweir;

namespace {

constexpr Nanos kDay = 24 * 3600 * kSecond;

// A wheel with a clock in hand.
struct Bench {
  Nanos now = kSecond;
  TimerWheel wheel{now};
  std::vector<int> ran;

  std::unique_ptr<Timer> timer(int name) {
    return std::make_unique<Timer>(wheel, [this, name] { ran.push_back(name); });
  }
  void go(Nanos to) {
    now = to;
    while (wheel.advance(now)) {
    }
  }
};

}  // namespace

TEST_CASE("a timer runs in the first slot at or after its deadline and never before") {
  Bench bench;
  auto timer = bench.timer(1);
  timer->arm(kSecond + 5 * kMillisecond + 1);
  bench.go(kSecond + 5 * kMillisecond + 999'999);
  CHECK(bench.ran.empty());
  CHECK(bench.wheel.next_due() == kSecond + 6 * kMillisecond);
  bench.go(kSecond + 6 * kMillisecond);
  CHECK(bench.ran == std::vector{1});
  CHECK_FALSE(timer->armed());
  CHECK(bench.wheel.next_due() == INT64_MAX);
}

TEST_CASE("deadlines from one tick to a year away are all kept to the tick") {
  for (const Nanos away :
       {kMillisecond, 255 * kMillisecond, 256 * kMillisecond, 257 * kMillisecond, 65535 * kMillisecond,
        65536 * kMillisecond, 5 * 3600 * kSecond, 48 * kDay, 50 * kDay, 365 * kDay}) {
    CAPTURE(away);
    Bench bench;
    auto timer = bench.timer(1);
    timer->arm(bench.now + away);
    const Nanos due = bench.now + away;
    while (bench.wheel.next_due() < due) bench.go(bench.wheel.next_due());
    CHECK(bench.ran.empty());
    CHECK(bench.wheel.next_due() == due);
    bench.go(due - 1);
    CHECK(bench.ran.empty());
    bench.go(due);
    CHECK(bench.ran.size() == 1);
  }
}

TEST_CASE("nothing wakes the owner before the first timer within seven weeks") {
  Bench bench;
  auto timer = bench.timer(1);
  timer->arm(bench.now + 40 * kDay);
  CHECK(bench.wheel.next_due() == bench.now + 40 * kDay);
}

TEST_CASE("a cancelled timer does not run and leaves no wake-up behind") {
  Bench bench;
  auto timer = bench.timer(1);
  timer->arm(bench.now + 3 * kSecond);
  timer->cancel();
  CHECK(bench.wheel.armed() == 0);
  CHECK(bench.wheel.next_due() == INT64_MAX);
  bench.go(bench.now + kDay);
  CHECK(bench.ran.empty());
}

TEST_CASE("arming again moves the deadline") {
  Bench bench;
  auto timer = bench.timer(1);
  timer->arm(bench.now + kMillisecond);
  timer->arm(bench.now + kSecond);
  CHECK(bench.wheel.armed() == 1);
  bench.go(kSecond + 999 * kMillisecond);
  CHECK(bench.ran.empty());
  bench.go(2 * kSecond);
  CHECK(bench.ran.size() == 1);
}

TEST_CASE("a timer that arms itself for now runs once per advance") {
  Bench bench;
  int ran = 0;
  Timer* self = nullptr;
  Timer timer(bench.wheel, [&] {
    ++ran;
    self->arm(bench.now);
  });
  self = &timer;
  timer.arm(bench.now);
  for (int i = 1; i <= 5; ++i) {
    bench.go(bench.now + 400 * kMillisecond);
    CHECK(ran == i);
  }
}

TEST_CASE("a callback may destroy its own timer and others due in the same slot") {
  Bench bench;
  auto victim = bench.timer(2);
  std::unique_ptr<Timer> killer;
  killer = std::make_unique<Timer>(bench.wheel, [&] {
    victim.reset();
    killer.reset();
  });
  killer->arm(bench.now + kMillisecond);
  victim->arm(bench.now + kMillisecond);
  bench.go(bench.now + kSecond);
  CHECK(bench.ran.empty());
  CHECK(bench.wheel.armed() == 0);
}

TEST_CASE("late ticks catch up in bounded steps and in order") {
  Bench bench;
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 1000; ++i) {
    timers.push_back(bench.timer(i));
    timers.back()->arm(bench.now + i * 10 * kMillisecond);
  }
  std::size_t before = 0;
  while (bench.wheel.advance(bench.now + kDay, 64)) {
    CHECK(bench.ran.size() - before <= 64);
    before = bench.ran.size();
    CHECK(bench.wheel.next_due() <= bench.now + kDay);
  }
  CHECK(bench.ran.size() == 1000);
  CHECK(std::is_sorted(bench.ran.begin(), bench.ran.end()));
}

TEST_CASE("a timer that is being brought down in steps can be cancelled") {
  Bench bench;
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 100; ++i) {
    timers.push_back(bench.timer(i));
    timers.back()->arm(bench.now + 10 * kSecond);
  }
  CHECK(bench.wheel.advance(bench.now + 11 * kSecond, 10));  // ten came down, ninety wait
  timers.erase(timers.begin() + 50, timers.end());
  bench.go(bench.now + 11 * kSecond);
  CHECK(bench.ran.size() == 50);
}

TEST_CASE("with slack a timer takes the first empty slot of its window") {
  Bench bench;
  auto first = bench.timer(1), second = bench.timer(2), third = bench.timer(3);
  for (Timer* timer : {first.get(), second.get(), third.get()}) {
    timer->arm(bench.now + 10 * kMillisecond, 5 * kMillisecond);
  }
  bench.go(kSecond + 10 * kMillisecond);
  CHECK(bench.ran == std::vector{1});
  bench.go(kSecond + 11 * kMillisecond);
  CHECK(bench.ran == std::vector{1, 2});
  bench.go(kSecond + 12 * kMillisecond);
  CHECK(bench.ran.size() == 3);
}

TEST_CASE("extreme deadlines and slacks do no harm") {
  Bench bench;
  auto past = bench.timer(1), never = bench.timer(2), wide = bench.timer(3);
  past->arm(INT64_MIN, INT64_MIN);
  never->arm(INT64_MAX, INT64_MAX);
  wide->arm(bench.now, INT64_MAX);
  bench.go(bench.now + 300 * kDay);
  CHECK(bench.ran.size() == 2);
  CHECK(never->armed());
  CHECK(bench.wheel.next_due() > bench.now);
}

namespace {

// What the wheel promises, said with a sorted map: each armed timer runs within [first, last] rounded up to the tick.
struct Model {
  struct Entry {
    Nanos first;
    Nanos last;
  };
  std::map<int, Entry> armed;
};

constexpr Nanos round_up(Nanos t) { return (t + kMillisecond - 1) / kMillisecond * kMillisecond; }

struct RandomRun {
  std::mt19937_64 random{42};
  Nanos now = kSecond;
  TimerWheel wheel{now};
  Model model;
  std::vector<std::unique_ptr<Timer>> timers;
  int bad = 0;
  int ran = 0;

  RandomRun() {
    for (int i = 0; i < 300; ++i) {
      timers.push_back(std::make_unique<Timer>(wheel, [this, i] { due(i); }));
    }
  }
  Nanos pick(Nanos below) { return static_cast<Nanos>(random() % static_cast<std::uint64_t>(below)); }
  void arm(int i, Nanos extra) {
    const Nanos ranges[] = {3 * kMillisecond, kSecond, 100 * kSecond, 9 * 3600 * kSecond, 60 * kDay};
    const Nanos first = now + pick(ranges[pick(5)]);
    const Nanos slack = pick(2) == 0 ? 0 : pick(ranges[pick(4)]);
    timers[static_cast<std::size_t>(i)]->arm(first, slack);
    const Nanos from = std::max(round_up(first), extra);
    model.armed[i] = {from, std::max(from, first + slack)};
  }
  void due(int i) {
    ++ran;
    const auto found = model.armed.find(i);
    if (found == model.armed.end() || now < found->second.first) return void(++bad);
    model.armed.erase(found);
    if (pick(2) == 0) arm(i, now / kMillisecond * kMillisecond + kMillisecond);
    if (pick(8) == 0) cancel(static_cast<int>(pick(300)));
  }
  void cancel(int i) {
    timers[static_cast<std::size_t>(i)]->cancel();
    model.armed.erase(i);
  }
  // After an advance nothing may be left whose window has passed.
  void check_rest() {
    Nanos earliest_last = INT64_MAX;
    for (const auto& [i, entry] : model.armed) earliest_last = std::min(earliest_last, entry.last);
    if (earliest_last < now / kMillisecond * kMillisecond) ++bad;
    if (wheel.next_due() > earliest_last) ++bad;
    if (wheel.armed() != model.armed.size()) ++bad;
  }
  void step() {
    switch (pick(4)) {
      case 0:
        arm(static_cast<int>(pick(300)), 0);
        return;
      case 1:
        cancel(static_cast<int>(pick(300)));
        return;
      case 2:
        now += pick(20 * kMillisecond);
        break;
      default:
        if (pick(20) == 0)
          now += pick(30 * kDay);
        else if (wheel.next_due() != INT64_MAX && pick(3) == 0)
          now = std::max(now, wheel.next_due());
    }
    while (wheel.advance(now, 1 + static_cast<std::size_t>(pick(50)))) {
    }
    check_rest();
  }
};

}  // namespace

TEST_CASE("random arming, cancelling and jumping agrees with a sorted model") {
  RandomRun run;
  for (int i = 0; i < 100'000; ++i) run.step();
  CHECK(run.bad == 0);
  CHECK(run.ran > 5'000);
}
