// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "loop/loop.h"

namespace logweir {

// Resource, process-wide. A few threads of our own (never libuv's four: one hung mount or look-up would stop all) for
// work that may block: cold file reads, compression. The owner keeps what the job looks at until `done` has run.
// Outlives its desks.
class Jobs {
 public:
  explicit Jobs(unsigned threads);
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs();  // waits for running jobs; those not begun are dropped

  class Desk;  // a loop's side

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Resource, one per loop, on its thread. Destroying it drops jobs not begun, waits for the running ones and forgets
// their `done`.
class Jobs::Desk {
 public:
  Desk(Jobs& jobs, Loop& loop);
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  ~Desk();
  // `work` runs on a job thread, then `done` on the loop's thread. `work` is there (not null) and throws nothing.
  void run(std::function<void()> work, std::function<void()> done);

 private:
  friend class Jobs;  // the threads' side
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace logweir
