// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "base/clock.h"

namespace logweir {

// Value. Exponential back-off with full jitter: the n-th wait is uniform between half the base and min(cap, base *
// 2^n), so that many agents that lost one peer do not come back at the same moment.
class Backoff {
 public:
  Backoff(Nanos base, Nanos cap, std::uint64_t seed)
      : base_(std::max<Nanos>(base, kMillisecond)), cap_(std::max(cap, base_)), random_(seed) {}

  // Length of the next wait.
  [[nodiscard]] Nanos next() {
    const Nanos top = attempt_ < 40 ? std::min(cap_, base_ << std::min(attempt_, 20U)) : cap_;
    ++attempt_;
    return std::uniform_int_distribution<Nanos>(base_ / 2, std::max(top, base_ / 2))(random_);
  }
  // It worked: the next failure begins anew.
  void reset() { attempt_ = 0; }
  [[nodiscard]] unsigned attempts() const { return attempt_; }

 private:
  Nanos base_;
  Nanos cap_;
  unsigned attempt_ = 0;
  std::minstd_rand random_;
};

}  // namespace logweir
