// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "loop/loop.h"

namespace logweir {

// Resource. Wakes a loop from any thread (uv_async inside): calls that come before the loop gets to it count as one.
class Wakeup {
 public:
  Wakeup(Loop& loop, std::function<void()> heard);  // on the loop's thread
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;
  ~Wakeup();    // on the loop's thread; no `ring` may be under way
  void ring();  // any thread

 private:
  struct Impl;
  Impl* impl_;
};

// Resource. The only way one thread speaks to another: messages are handed over and handled on the loop's thread, in
// the order in which each sender sent them. Nothing is allocated per message in steady state.
template <typename Message>
class Mailbox {
 public:
  Mailbox(Loop& loop, std::function<void(Message&&)> handle)
      : handle_(std::move(handle)), wakeup_(loop, [this] { drain(); }) {}

  void send(Message message) {  // any thread
    bool first;
    {
      const std::lock_guard lock(mutex_);
      first = waiting_.empty();
      waiting_.push_back(std::move(message));
    }
    if (first) wakeup_.ring();
  }

 private:
  void drain() {
    {
      const std::lock_guard lock(mutex_);
      handling_.swap(waiting_);
    }
    for (Message& message : handling_) handle_(std::move(message));
    handling_.clear();
    if (handling_.capacity() > kKeptRoom) handling_ = std::vector<Message>();  // of a burst, not kept for ever
  }

  static constexpr std::size_t kKeptRoom = 1024;

  std::function<void(Message&&)> handle_;
  std::mutex mutex_;
  std::vector<Message> waiting_;
  std::vector<Message> handling_;
  Wakeup wakeup_;
};

}  // namespace logweir
