// SPDX-License-Identifier: Apache-2.0
// Many writers, one spool: each of 64 threads has a batch of 4 KiB stored and waits for the answer, then the next one.
#include <atomic>
#include <filesystem>
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
  explicit Waiter(Shared& shared) : shared_(shared) {
    fill_batch(batch_, kBatch);
    plan_ = plan_frame(batch_.all());
    frame_.resize(plan_.bytes);
    commit_.writer = &shared.writer;
    commit_.bytes = frame_.size();
    commit_.frames = {frame_};
    commit_.done = [this] {
      answered_.store(true);
      answered_.notify_one();
    };
  }
  std::vector<Nanos> delays;

  void run(bool trims) {
    const SystemClock clock;
    Nanos trimmed = clock.mono();
    for (Nanos now = trimmed; now < shared_.until;) {
      const bool trim = trims && now - trimmed > kSecond;  // as a lane does
      commit_.trim_to = trim ? commit_.stored.next : 0;
      if (trim) trimmed = now;
      answered_ = false;
      {
        const std::lock_guard lock(shared_.order);
        encode_frame(batch_.all(), plan_, {shared_.writer.mark(), shared_.next++, 1}, frame_.data());
        now = clock.mono();
        shared_.committer.submit(commit_);
      }
      answered_.wait(false);
      const Nanos end = clock.mono();
      require(commit_.status);
      delays.push_back(end - now);
      now = end;
    }
  }

 private:
  Shared& shared_;
  LineBatch batch_;
  FramePlan plan_;
  std::string frame_;
  Commit commit_;
  std::atomic<bool> answered_ = false;
};

}  // namespace

int bench_group(const std::string& directory, bool each, int sync_ms, double seconds) {
  const SystemClock clock;
  TimedDisk disk(sync_ms * kMillisecond);
  auto opened = SpoolWriter::open(disk, directory + "/group", kBenchSpool, {}, 1);
  require(opened.status());
  disk.syncs.clear();
  std::vector<Nanos> delays;
  double took = 0;
  Committer::Stats stats;
  {
    Committer committer(clock, {each ? CommitMode::each : CommitMode::group});
    Shared shared{*opened.value(), committer, {}, opened.value()->next()};
    std::vector<std::unique_ptr<Waiter>> waiters;
    for (int i = 0; i < kWriters; ++i) waiters.push_back(std::make_unique<Waiter>(shared));
    const Nanos began = clock.mono();
    shared.until = began + static_cast<Nanos>(seconds * 1e9);
    std::vector<std::thread> threads;
    for (auto& waiter : waiters) threads.emplace_back([&waiter, first = waiters.front().get()] { waiter->run(waiter.get() == first); });
    for (std::thread& thread : threads) thread.join();
    took = static_cast<double>(clock.mono() - began) / 1e9;
    stats = committer.stats();
    for (const auto& waiter : waiters) delays.insert(delays.end(), waiter->delays.begin(), waiter->delays.end());
  }
  std::printf("{\"per_second\":%.1f,\"per_sync\":%.2f,\"sync_p50\":%.3f,\"sync_p99\":%.3f,\"delay_p50\":%.3f,"
              "\"delay_p99\":%.3f,\"cpu_us\":%.1f}\n",
              static_cast<double>(delays.size()) / took,
              static_cast<double>(stats.commits) / static_cast<double>(stats.groups), quantile(disk.syncs, 0.5),
              quantile(disk.syncs, 0.99), quantile(delays, 0.5), quantile(delays, 0.99),
              processor_seconds() * 1e6 / static_cast<double>(delays.size()));
  return 0;
}

}  // namespace logweir
