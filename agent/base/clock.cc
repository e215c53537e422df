// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <ctime>

namespace logweir {

namespace {

Nanos read_clock(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<Nanos>(t.tv_sec) * kSecond + t.tv_nsec;
}

}  // namespace

Nanos SystemClock::mono() const { return read_clock(CLOCK_MONOTONIC); }
Nanos SystemClock::wall() const { return read_clock(CLOCK_REALTIME); }

}  // namespace logweir
