// SPDX-License-Identifier: Apache-2.0
#include "app/last_resort.h"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace logweir {

namespace {
constexpr auto kForTheLog = std::chrono::milliseconds(200);  // a thread of its own writes it
}

LastResort::LastResort(Nanos most, int exit_code, std::function<void()> say) {
  if (most < 0) return;
  thread_ = std::thread([this, most, exit_code, say = std::move(say)] {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, std::chrono::nanoseconds(most), [this] { return over_; })) return;
    say();
    if (wake_.wait_for(lock, kForTheLog, [this] { return over_; })) return;
    ::_exit(exit_code);
  });
}

LastResort::~LastResort() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace logweir
