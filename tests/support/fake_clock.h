// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

namespace logweir {

// A clock that stands still until a test moves it.
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
  Nanos mono_ = kSecond;
  Nanos wall_ = 1'700'000'000 * kSecond;
};

}  // namespace logweir
