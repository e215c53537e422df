// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/status.h"
#include "loop/timer_wheel.h"

namespace logweir {

class AfterTurn;

// Resource. One thread's event loop (libuv inside; the only room that knows). All objects made on a loop are made,
// used and destroyed on its thread, and before it. A turn is: wait, what is ready, due timers, posted work, after-turn
// hooks; the next turn does not wait when any of these left something to do.
class Loop {
 public:
  explicit Loop(const Clock& clock);  // the clock outlives the loop
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();  // checks that nothing is left open on it; posted work that has not run is given up

  void run();       // until stop()
  void stop();      // from the loop's thread: returns from run() after this turn
  bool run_once();  // one turn without waiting, for tests; true when the next one has work already

  [[nodiscard]] Nanos now() const { return clock_.mono(); }  // monotonic, fresh
  [[nodiscard]] Nanos wall() const { return clock_.wall(); }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] TimerWheel& timers();
  // Runs once, later on this thread, not inside the caller. For what must not re-enter. Allocation-free when `work`
  // fits a std::function's inline space.
  void post(std::function<void()> work);
  // Time that turns have spent away from waiting, for the metric loop lag.
  struct Stats {
    std::uint64_t turns = 0;
    Nanos busy = 0;        // total, only grows
    Nanos worst_turn = 0;  // since the last `take_worst_turn`
  };
  [[nodiscard]] const Stats& stats() const;
  Nanos take_worst_turn();

  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }  // for the loop room alone

 private:
  const Clock& clock_;
  std::unique_ptr<Impl> impl_;
};

// Resource, a member of its owner. `want` makes `work` run once, when all that is ready in this turn has been handled
// and before the loop waits again: lanes gather here, so that many small reads leave in one write. Wanted again by its
// own work, it runs in the next turn, which does not wait. `work` may destroy any AfterTurn, its own included.
class AfterTurn {
 public:
  AfterTurn(Loop& loop, std::function<void()> work);
  AfterTurn(const AfterTurn&) = delete;
  AfterTurn& operator=(const AfterTurn&) = delete;
  ~AfterTurn();
  void want();

 private:
  friend struct Loop::Impl;
  Loop& loop_;
  std::function<void()> work_;
  bool wanted_ = false;
};

}  // namespace logweir
