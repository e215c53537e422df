// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "loop/loop.h"

namespace logweir {

// Resource. Readiness of a descriptor that somebody else owns and closes only after this is gone (inotify, own
// sockets, signalfd). Level-triggered.
class Poll {
 public:
  enum Events : unsigned { kReadable = 1, kWritable = 2 };
  Poll(Loop& loop, int fd, std::function<void(unsigned events, int error)> ready);
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;
  ~Poll();
  Status watch(unsigned events);  // 0 stops
 private:
  struct Impl;
  Impl* impl_;  // frees itself once libuv has closed the handle
};

}  // namespace logweir
