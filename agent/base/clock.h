// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace logweir {

// A point in time or a length of time in nanoseconds; which clock it belongs to, the name beside it says.
using Nanos = std::int64_t;

constexpr Nanos kMicrosecond = 1'000;
constexpr Nanos kMillisecond = 1'000'000;
constexpr Nanos kSecond = 1'000'000'000;

// Interface. Time is always passed in, so that a test can hold it still.
class Clock {
 public:
  virtual ~Clock() = default;
  // Never steps back; for deadlines, delays and expiry.
  [[nodiscard]] virtual Nanos mono() const = 0;
  // Since the Unix epoch; for what is written into records only.
  [[nodiscard]] virtual Nanos wall() const = 0;
};

// The machine's clock. Stateless; any thread.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Nanos mono() const override;
  [[nodiscard]] Nanos wall() const override;
};

}  // namespace logweir
