// SPDX-License-Identifier: Apache-2.0
// What the spreading is for, in figures: many owners whose deadlines fall together, each due timer costing CPU time.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "loop/timer_wheel.h"

using namespace logweir;

namespace {

constexpr int kOwners = 10'000;
constexpr int kBurst = 5;  // deadlines per owner that fall on one instant, against one per second otherwise
constexpr Nanos kWork = 5 * kMicrosecond;
constexpr Nanos kInstant = 3 * kSecond;

struct Figures {
  std::vector<Nanos> late_burst;      // past the burst's own bound (its slack used up)
  std::vector<Nanos> late_bystander;  // the same of timers that have nothing to do with the burst
  std::size_t most_per_tick = 0;
  static Nanos at(std::vector<Nanos> all, int percent) {
    std::sort(all.begin(), all.end());
    return all[(all.size() - 1) * static_cast<std::size_t>(percent) / 100];
  }
};

// Steady: each owner has a deadline per second, evenly spread, without slack. On top the burst. The clock moves by the
// cost of each timer that runs, else to the next one.
struct Scene {
  explicit Scene(Nanos burst_slack) : slack(burst_slack) {
    for (int i = 0; i < kOwners; ++i) add_steady(kSecond + i * (kSecond / kOwners) % kSecond);
    for (int i = 0; i < kOwners * kBurst; ++i) add_burst();
  }
  void add_steady(Nanos first) {
    keep.push_back(std::make_unique<Nanos>(first));
    Nanos* when = keep.back().get();
    timers.push_back(std::make_unique<Timer>(wheel, [this, when, i = timers.size()] {
      spend(figures.late_bystander, *when + kMillisecond);
      *when += kSecond;
      if (*when < 6 * kSecond) timers[i]->arm(*when);
    }));
    timers.back()->arm(first);
  }
  void add_burst() {
    timers.push_back(std::make_unique<Timer>(wheel, [this] { spend(figures.late_burst, kInstant + slack); }));
    timers.back()->arm(kInstant, slack);
  }
  void spend(std::vector<Nanos>& late, Nanos bound) {
    late.push_back(std::max<Nanos>(0, now - bound));
    now += kWork;
    ++ran;
  }
  Figures& run() {
    while (wheel.armed() > 0) {
      now = std::max(now, wheel.next_due());
      const std::size_t before = ran;
      wheel.advance(now, SIZE_MAX);
      figures.most_per_tick = std::max(figures.most_per_tick, ran - before);
    }
    return figures;
  }

  Nanos slack;
  Nanos now = 0;
  std::size_t ran = 0;
  TimerWheel wheel{0};
  std::vector<std::unique_ptr<Nanos>> keep;
  std::vector<std::unique_ptr<Timer>> timers;
  Figures figures;
};

void show(const std::string& what, const Figures& f) {
  MESSAGE(what << ": bystanders late p50 " << Figures::at(f.late_bystander, 50) / 1000 << " us, p99 "
               << Figures::at(f.late_bystander, 99) / 1000 << " us, worst " << Figures::at(f.late_bystander, 100) / 1000
               << " us; burst past its bound p50 " << Figures::at(f.late_burst, 50) / 1000 << " us, p99 "
               << Figures::at(f.late_burst, 99) / 1000 << " us; most timers in one tick " << f.most_per_tick);
}

}  // namespace

TEST_CASE("a burst of five times ten thousand equal deadlines is an even flow with slack and a pulse without") {
  Scene sharp_scene(0);
  Scene even_scene(500 * kMillisecond);
  const Figures& sharp = sharp_scene.run();
  const Figures& even = even_scene.run();
  show("without spreading", sharp);
  show("spread over 500 ms ", even);
  CHECK(sharp.most_per_tick >= kOwners * kBurst);
  CHECK(even.most_per_tick <= sharp.most_per_tick / 100);
  CHECK(Figures::at(sharp.late_burst, 50) > 100 * kMillisecond);
  CHECK(Figures::at(even.late_burst, 99) <= kMillisecond);
  CHECK(Figures::at(sharp.late_bystander, 99) > 50 * kMillisecond);
  CHECK(Figures::at(even.late_bystander, 100) <= 2 * kMillisecond);
}

TEST_CASE("equal windows fill their slots evenly to within a few timers") {
  TimerWheel wheel(0);
  std::vector<std::unique_ptr<Timer>> timers;
  std::vector<int> per_slot(100);
  Nanos now = 0;
  for (int i = 0; i < 10'000; ++i) {
    timers.push_back(
        std::make_unique<Timer>(wheel, [&] { ++per_slot[static_cast<std::size_t>(now / kMillisecond) - 20]; }));
    timers.back()->arm(20 * kMillisecond, 99 * kMillisecond);
  }
  for (; now < 200 * kMillisecond; now += kMillisecond) wheel.advance(now, SIZE_MAX);
  const auto [least, most] = std::minmax_element(per_slot.begin(), per_slot.end());
  MESSAGE("10,000 timers over 100 slots: least " << *least << ", most " << *most << " in a slot");
  CHECK(*least >= 90);
  CHECK(*most <= 110);
}

TEST_CASE("arming and cancelling cost the same however many timers are armed") {
  const auto cost = [](int armed) {
    TimerWheel wheel(0);
    std::vector<std::unique_ptr<Timer>> timers;
    for (int i = 0; i < armed; ++i) {
      timers.push_back(std::make_unique<Timer>(wheel, [] {}));
      timers.back()->arm(i * kMillisecond, 50 * kMillisecond);
    }
    Timer probe(wheel, [] {});
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 200'000; ++i) probe.arm((i % 60'000) * kMillisecond, 50 * kMillisecond);
    const auto spent = std::chrono::steady_clock::now() - began;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count() / 200'000;
  };
  const auto few = cost(10), many = cost(100'000);
  MESSAGE("re-arm: " << few << " ns with 10 armed, " << many << " ns with 100,000");
  CHECK(many < 20 * few + 1000);  // a cost that grew with the number would be ten thousand times as high
}
