// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/clock.h"

namespace logweir {

class TimerWheel;

// The two pointers that chain a timer into a slot's ring; a slot is such a link itself, so a timer leaves its ring
// without knowing which one it is.
struct TimerLink {
  TimerLink* previous = nullptr;
  TimerLink* next = nullptr;
};

// Resource, a member of its owner. One pending deadline; the callback may arm, cancel or destroy any timer, itself
// included. Cancelled by its destructor, which must run before the wheel's. Never moves while armed.
class Timer : private TimerLink {
 public:
  Timer(TimerWheel& wheel, std::function<void()> due) : wheel_(wheel), due_(std::move(due)) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  // Due at `earliest` or up to `slack` later, whichever slot in between has the least to do (the first of equals).
  // Never early; with a slack below one tick in the first slot that is not early. Re-arms when armed. Both on the
  // monotonic clock of the wheel's owner. O(1). Armed from a timer's callback it is due after the running `advance`.
  void arm(Nanos earliest, Nanos slack = 0);
  void cancel();  // O(1)
  [[nodiscard]] bool armed() const { return slot_ != kIdle; }

 private:
  friend class TimerWheel;
  static constexpr std::uint32_t kIdle = UINT32_MAX;
  TimerWheel& wheel_;
  std::function<void()> due_;
  std::int64_t first_ = 0;  // the window in ticks, both ends included
  std::int64_t last_ = 0;
  std::uint32_t slot_ = kIdle;
};

// Resource. A hierarchy of four wheels of 256 slots. The lowest has a slot per tick; a timer further away waits in a
// coarser slot and comes down when the time reaches that slot. Its exact slot is chosen on arrival in the lowest wheel,
// where the load of each slot is known: that is what turns a burst of equal deadlines into an even flow.
//
//   level 0    256 slots of 1 tick        with 1 ms ticks: 256 ms
//   level 1    256 slots of 256 ticks                      65 s
//   level 2    256 slots of 2^16 ticks                     4.6 h
//   level 3    256 slots of 2^24 ticks                     49 days; what is further comes down and goes up again
//
// Empty slots are skipped by bitmaps; nothing here is touched when nothing is due. Knows no loop: time is passed in.
class TimerWheel {
 public:
  explicit TimerWheel(Nanos now, Nanos tick = kMillisecond);
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;
  ~TimerWheel();  // checks that no timer is armed

  // Runs what is due at `now`, in order of slots; at most `most` timers are run or brought down a level. True when more
  // is due (call again soon). Not from inside a timer.
  bool advance(Nanos now, std::size_t most = 1024);
  // Before this nothing is due; nothing armed: INT64_MAX.
  [[nodiscard]] Nanos next_due() const;
  [[nodiscard]] std::size_t armed() const { return armed_; }

 private:
  friend class Timer;
  static constexpr unsigned kBits = 8;
  static constexpr std::uint32_t kSlots = 1U << kBits;
  static constexpr unsigned kLevels = 4;
  static constexpr std::int64_t kReach = std::int64_t{1} << (kBits * kLevels);
  static constexpr std::int64_t kSamples = 8;  // slots looked at when none of the window is empty

  void arm(Timer& timer, Nanos earliest, Nanos slack);
  void cancel(Timer& timer);
  void place(Timer& timer);
  void insert(Timer& timer, unsigned level, std::int64_t at);
  void unlink(Timer& timer);
  void enter(std::int64_t tick);
  void run_first(TimerLink& slot);
  [[nodiscard]] std::int64_t spread(Timer& timer);
  [[nodiscard]] std::int64_t least_loaded(std::int64_t first, std::int64_t last);
  [[nodiscard]] std::int64_t first_empty(std::int64_t first, std::int64_t last) const;
  [[nodiscard]] std::int64_t next_occupied(unsigned level) const;
  [[nodiscard]] std::int64_t next_event() const;
  [[nodiscard]] std::uint64_t random_below(std::uint64_t bound);

  std::array<TimerLink, kSlots * kLevels> slots_;
  std::array<std::int64_t, kSlots * kLevels> soonest_{};  // smallest tick in a slot, at least; of occupied ones
  std::array<std::uint32_t, kSlots> load_{};              // timers in each slot of level 0
  std::array<std::array<std::uint64_t, kSlots / 64>, kLevels> occupied_{};
  TimerLink coming_down_;  // out of a coarse slot whose time has come, not yet placed anew
  const Nanos tick_;
  std::int64_t current_;      // all ticks before are done
  std::int64_t horizon_ = 0;  // while advancing: the tick of `now`; new timers are due after it
  bool advancing_ = false;
  std::size_t armed_ = 0;
  std::uint64_t spin_ = 0;
  std::uint64_t comb_ = 0;
};

inline void Timer::arm(Nanos earliest, Nanos slack) { wheel_.arm(*this, earliest, slack); }
inline void Timer::cancel() {
  if (armed()) wheel_.cancel(*this);
}

}  // namespace logweir
