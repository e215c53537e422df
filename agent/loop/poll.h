// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "base/status.h"
#include "loop/loop.h"

namespace logweir {

// Resource. Readiness of a descriptor that somebody else owns and closes only after this is gone (inotify, own
// sockets, signalfd). Level-triggered. An `error` (not 0) says that the descriptor is broken: nothing is watched from
// then on, and the next read or write tells why. `ready` may destroy the Poll.
class Poll {
 public:
  enum Events : unsigned { kReadable = 1, kWritable = 2 };
  Poll(Loop& loop, int fd, std::function<void(unsigned events, int error)> ready);
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;
  ~Poll();
  Status watch(unsigned events);  // 0 stops; changing what is watched costs two system calls

 private:
  struct Impl;
  Impl* impl_;  // frees itself once libuv has closed the handle
};

}  // namespace logweir
