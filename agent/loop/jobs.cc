// SPDX-License-Identifier: Apache-2.0
#include "loop/jobs.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "loop/mailbox.h"

namespace logweir {

// The desk's finished work, handed from the job threads to the loop's.
struct Jobs::Desk::Impl {
  Impl(Jobs& all, Loop& loop) : jobs(all), finished(loop, [](std::function<void()>&& done) { done(); }) {}
  Jobs& jobs;
  std::size_t running = 0;  // guarded by Jobs::Impl::mutex
  Mailbox<std::function<void()>> finished;
};

struct Jobs::Impl {
  struct Job {
    std::function<void()> work;
    std::function<void()> done;
    Desk::Impl* desk;  // waits for its running jobs before it goes
  };
  void serve();

  std::mutex mutex;
  std::condition_variable more;
  std::condition_variable less;  // a job has ended
  std::deque<Job> waiting;
  bool stopping = false;
  std::vector<std::thread> threads;
};

void Jobs::Impl::serve() {
  std::unique_lock lock(mutex);
  while (true) {
    more.wait(lock, [this] { return stopping || !waiting.empty(); });
    if (stopping) return;
    Job job = std::move(waiting.front());
    waiting.pop_front();
    ++job.desk->running;
    lock.unlock();
    job.work();
    job.work = nullptr;
    job.desk->finished.send(std::move(job.done));
    lock.lock();
    --job.desk->running;
    less.notify_all();
  }
}

Jobs::Jobs(unsigned threads) : impl_(std::make_unique<Impl>()) {
  for (unsigned i = 0; i < std::max(1U, threads); ++i) {
    impl_->threads.emplace_back([impl = impl_.get()] { impl->serve(); });
  }
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->more.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

Jobs::Desk::Desk(Jobs& jobs, Loop& loop) : impl_(std::make_unique<Impl>(jobs, loop)) {}

Jobs::Desk::~Desk() {
  Jobs::Impl& all = *impl_->jobs.impl_;
  {
    std::deque<Jobs::Impl::Job> dropped;  // destroyed without the lock: what they hold is not ours to know
    std::deque<Jobs::Impl::Job> kept;
    const std::lock_guard lock(all.mutex);
    for (auto& job : all.waiting) (job.desk == impl_.get() ? dropped : kept).push_back(std::move(job));
    all.waiting.swap(kept);
  }
  std::unique_lock lock(all.mutex);
  all.less.wait(lock, [this] { return impl_->running == 0; });
}

void Jobs::Desk::run(std::function<void()> work, std::function<void()> done) {
  Jobs::Impl& all = *impl_->jobs.impl_;
  {
    const std::lock_guard lock(all.mutex);
    all.waiting.push_back({std::move(work), std::move(done), impl_.get()});
  }
  all.more.notify_one();
}

}  // namespace logweir
