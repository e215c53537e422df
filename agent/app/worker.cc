// SPDX-License-Identifier: Apache-2.0
#include "app/worker.h"

#include <pthread.h>

#include <string>
#include <utility>

namespace logweir {

namespace {
constexpr Nanos kDrainLook = 2 * kMillisecond;
}

struct Worker::Thread {
  explicit Thread(PipelineSpec spec)
      : loop(clock),
        pipeline(std::make_unique<Pipeline>(loop, std::move(spec))),
        mail(loop,
             [this](std::function<void(Pipeline&)>&& work) {
               if (pipeline) work(*pipeline);
             }),
        drain_timer(loop.timers(), [this] { look(); }) {}

  void look() {
    if (pipeline->drained()) {
      const auto told = std::exchange(drained, nullptr);
      if (told) told();
    } else {
      pipeline->hurry();
      drain_timer.arm(loop.now() + kDrainLook, kDrainLook);
    }
  }

  SystemClock clock;
  Loop loop;
  std::unique_ptr<Pipeline> pipeline;
  Mailbox<std::function<void(Pipeline&)>> mail;
  Timer drain_timer;
  std::function<void()> drained;
};

Worker::~Worker() {
  if (thread_.joinable()) close();
}

Status Worker::start() {
  std::promise<Status> opened;
  std::future<Status> result = opened.get_future();
  thread_ = std::thread([this, promise = std::move(opened)]() mutable { run(std::move(promise)); });
  Status status = result.get();
  return status;
}

void Worker::run(std::promise<Status> opened) {
  pthread_setname_np(pthread_self(), ("worker-" + std::to_string(spec_.worker)).c_str());
  Thread inside(std::move(spec_));
  inside_ = &inside;
  opened.set_value(inside.pipeline->open_outputs());
  inside.loop.run();
}

Status Worker::open_inputs() {
  std::promise<Status> opened;
  std::future<Status> result = opened.get_future();
  call([&opened](Pipeline& pipeline) { opened.set_value(pipeline.open_inputs()); });
  return result.get();
}

void Worker::call(std::function<void(Pipeline&)> work) { inside_->mail.send(std::move(work)); }

void Worker::drain(std::function<void()> drained) {
  Thread* inside = inside_;
  call([inside, told = std::move(drained)](Pipeline& pipeline) {
    pipeline.stop_intake();
    inside->drained = told;
    inside->look();
  });
}

PipelineSnapshot Worker::close() {
  PipelineSnapshot last;
  Thread* inside = inside_;
  call([inside, &last](Pipeline& pipeline) {
    pipeline.stop_intake();
    last = pipeline.snapshot();
    pipeline.close();
    inside->drain_timer.cancel();
    inside->pipeline.reset();
    inside->loop.stop();
  });
  thread_.join();
  inside_ = nullptr;
  return last;
}

}  // namespace logweir
