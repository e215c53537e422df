// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "loop/loop.h"

namespace logweir {

// Runs a loop (on the machine's clock) until `condition` holds; false when it does not within `limit`.
inline bool run_until(Loop& loop, const std::function<bool()>& condition, Nanos limit = 10 * kSecond) {
  const Nanos deadline = loop.now() + limit;
  bool held = condition();
  Timer* self = nullptr;
  Timer look(loop.timers(), [&] {
    held = condition();
    if (held || loop.now() > deadline) return loop.stop();
    self->arm(loop.now() + kMillisecond);
  });
  self = &look;
  if (held) return true;
  look.arm(loop.now() + kMillisecond);
  loop.run();
  return held;
}

// For fake clocks: turns until nothing is left to do at once.
inline void run_turns(Loop& loop, int most = 100) {
  while (most-- > 0 && loop.run_once()) {
  }
}

}  // namespace logweir
