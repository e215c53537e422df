// SPDX-License-Identifier: Apache-2.0
// Many writers, one spool: each of 64 threads has a batch of 4 KiB stored and waits for the answer, then the next one.
#include <semaphore.h>

#include <memory>
#include <mutex>
#include <thread>

#include "pipeline/committer.h"
#include "spool/frame.h"
#include "tests/bench/spool_disk.h"
#include "tests/bench/spool_parts.h"

namespace logweir {
namespace {

constexpr int kWriters = 64;
constexpr std::size_t kBatch = 4096;

// Frames are numbered in the order in which they are submitted.
struct Shared {
  SpoolWriter& writer;
  Committer& committer;
  std::mutex order;
  std::uint64_t next = 1;
  Nanos until = 0;
};

class Waiter {
 public:
  Waiter(Shared& shared, const TimedDisk& disk) : shared_(shared) {
    fill_batch(batch_, kBatch);
    plan_ = plan_frame(batch_.all());
    frame_.resize(plan_.bytes);
    commit_.writer = &shared.writer;
    commit_.bytes = frame_.size();
    commit_.frames = {frame_};
    commit_.done = [this, &disk] {
      own_sync_ = disk.syncs.back();
      sem_post(&answered_);
    };
    sem_init(&answered_, 0, 0);
  }
  ~Waiter() { sem_destroy(&answered_); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  std::vector<Nanos> delays;
  std::vector<Nanos> added;  // to the sync that stored it

  void run(bool trims) {
    const SystemClock clock;
    Nanos trimmed = clock.mono();
    for (Nanos now = trimmed; now < shared_.until;) {
      const bool trim = trims && now - trimmed > kSecond;  // as a lane does
      commit_.trim_to = trim ? commit_.stored.next : 0;
      if (trim) trimmed = now;
      {
        const std::lock_guard lock(shared_.order);
        encode_frame(batch_.all(), plan_, {shared_.writer.mark(), shared_.next++, 1}, frame_.data());
        now = clock.mono();
        shared_.committer.submit(commit_);
      }
      while (sem_wait(&answered_) != 0) {
      }
      const Nanos end = clock.mono();
      require(commit_.status);
      delays.push_back(end - now);
      added.push_back(end - now - own_sync_);
      now = end;
    }
  }

 private:
  Shared& shared_;
  LineBatch batch_;
  FramePlan plan_;
  std::string frame_;
  Commit commit_;
  Nanos own_sync_ = 0;
  sem_t answered_{};  // the library's own waits spin first, which 64 threads on few cores can't afford
};

}  // namespace

int bench_group(const std::string& directory, bool each, int sync_ms, double seconds) {
  const SystemClock clock;
  TimedDisk disk(sync_ms * kMillisecond);
  auto opened = SpoolWriter::open(disk, directory + "/group", kBenchSpool, {}, 1);
  require(opened.status());
  disk.syncs.clear();
  std::vector<Nanos> delays;
  std::vector<Nanos> added;
  double took = 0;
  Committer::Stats stats;
  {
    Committer committer(clock, {each ? CommitMode::each : CommitMode::group});
    Shared shared{*opened.value(), committer, {}, opened.value()->next()};
    std::vector<std::unique_ptr<Waiter>> waiters;
    for (int i = 0; i < kWriters; ++i) waiters.push_back(std::make_unique<Waiter>(shared, disk));
    const Nanos began = clock.mono();
    shared.until = began + static_cast<Nanos>(seconds * 1e9);
    std::vector<std::thread> threads;
    for (auto& waiter : waiters)
      threads.emplace_back([&waiter, first = waiters.front().get()] { waiter->run(waiter.get() == first); });
    for (std::thread& thread : threads) thread.join();
    took = static_cast<double>(clock.mono() - began) / 1e9;
    stats = committer.stats();
    for (const auto& waiter : waiters) {
      delays.insert(delays.end(), waiter->delays.begin(), waiter->delays.end());
      added.insert(added.end(), waiter->added.begin(), waiter->added.end());
    }
  }
  std::printf(
      "{\"per_second\":%.1f,\"per_sync\":%.2f,\"sync_p50\":%.3f,\"sync_p99\":%.3f,\"delay_p50\":%.3f,"
      "\"delay_p99\":%.3f,\"added_p99\":%.3f,\"cpu_us\":%.1f}\n",
      static_cast<double>(delays.size()) / took, static_cast<double>(stats.commits) / static_cast<double>(stats.groups),
      quantile(disk.syncs, 0.5), quantile(disk.syncs, 0.99), quantile(delays, 0.5), quantile(delays, 0.99),
      quantile(added, 0.99), processor_seconds() * 1e6 / static_cast<double>(delays.size()));
  return 0;
}

}  // namespace logweir
