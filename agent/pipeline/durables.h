// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "loop/mailbox.h"
#include "state/state.h"

namespace logweir {

// Resource, one per worker. Tells its thread when facts are on disk. Waiters gather while a barrier is under way: one
// sync serves all of them.
class Durables {
 public:
  Durables(Loop& loop, State* state);
  Durables(const Durables&) = delete;
  Durables& operator=(const Durables&) = delete;
  ~Durables();  // waits for a barrier under way; its waiters are not called

  void wait(std::function<void()> durable);

 private:
  struct Done {};
  void start();
  void arrived();

  Loop& loop_;
  State* state_;  // may be null: then nothing is kept and nobody waits
  std::vector<std::function<void()>> gathering_;
  std::vector<std::function<void()>> under_way_;
  std::shared_ptr<std::atomic<bool>> busy_;
  Mailbox<Done> mail_;
};

}  // namespace logweir
