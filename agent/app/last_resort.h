// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/clock.h"

namespace logweir {

// Resource. Ends the process when what it guards takes longer than it may: a stop that waits for a disk or a file
// system that hangs. What is on disk is good at any moment, so an end in the middle costs no more than a kill.
class LastResort {
 public:
  // `say` is called before the end, on another thread. `most` below 0: there is no limit.
  LastResort(Nanos most, int exit_code, std::function<void()> say);
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;
  ~LastResort();  // it went well

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace logweir
