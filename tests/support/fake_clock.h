// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "base/clock.h"

namespace logweir {

// A clock that stands still until a test moves it; any thread may look at it.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] Nanos mono() const override { return mono_; }
  [[nodiscard]] Nanos wall() const override { return wall_; }
  void advance(Nanos by) {
    mono_ += by;
    wall_ += by;
  }
  void set_wall(Nanos wall) { wall_ = wall; }

 private:
  std::atomic<Nanos> mono_{kSecond};
  std::atomic<Nanos> wall_{1'700'000'000 * kSecond};
};

}  // namespace logweir
