// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"

namespace logweir {

class TimerWheel;

// Resource, a member of its owner. One pending deadline; the callback may re-arm it or destroy its owner. Cancelled by
// its destructor. Never moves while armed.
class Timer {
 public:
  Timer(TimerWheel& wheel, std::function<void()> due) : wheel_(wheel), due_(std::move(due)) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  // Due at `earliest` or up to `slack` later, whichever slot in between has the least to do. Re-arms when armed.
  // Both on the monotonic clock of the wheel's owner. O(1).
  void arm(Nanos earliest, Nanos slack = 0);
  void cancel();  // O(1)
  [[nodiscard]] bool armed() const { return slot_ != kIdle; }

 private:
  friend class TimerWheel;
  static constexpr std::uint32_t kIdle = UINT32_MAX;
  TimerWheel& wheel_;
  std::function<void()> due_;
  Timer* previous_ = nullptr;
  Timer* next_ = nullptr;
  Nanos deadline_ = 0;
  std::uint32_t slot_ = kIdle;
};

// PLACEHOLDER private part: the loop room's author designs it.
class TimerWheel {
 public:
  explicit TimerWheel(Nanos now, Nanos tick = kMillisecond);
  // Runs what is due at `now`, at most `most` timers; true when due ones are left (call again soon).
  bool advance(Nanos now, std::size_t most = 1024);
  // When the next occupied slot is due; nothing armed: INT64_MAX.
  [[nodiscard]] Nanos next_due() const;
  [[nodiscard]] std::size_t armed() const;
  // Tells the owner that an earlier deadline than any before was armed.
  void on_earlier(std::function<void()> heard);
};

}  // namespace logweir
