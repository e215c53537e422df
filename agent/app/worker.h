// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <thread>

#include "base/status.h"
#include "loop/mailbox.h"
#include "pipeline/pipeline.h"

namespace logweir {

// Resource, owned by the control loop's thread. A thread with a loop and a whole pipeline on it.
class Worker {
 public:
  explicit Worker(PipelineSpec spec) : spec_(std::move(spec)) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();  // closes and joins

  // Starts the thread and opens filters and outputs on it; waits for that.
  Status start();
  // Waits as well. Inputs may deliver from here on.
  Status open_inputs();

  // Runs on the worker's thread, between two turns. Any thread, from `start` to `close`.
  void call(std::function<void(Pipeline&)> work);

  // Stops the inputs and lets the lanes try at once; `drained` (on the worker's thread) is called when nothing waits.
  void drain(std::function<void()> drained);
  // Closes the pipeline and ends the thread. What was still waiting is in the snapshot.
  PipelineSnapshot close();

 private:
  struct Thread;  // what lives on the thread
  void run(std::promise<Status> opened);

  PipelineSpec spec_;
  std::thread thread_;
  Thread* inside_ = nullptr;  // valid while the thread runs
};

}  // namespace logweir
