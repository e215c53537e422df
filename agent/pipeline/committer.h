// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "spool/writer.h"

namespace logweir {

enum class CommitMode : int { each, group, interval, none };

// Value. What one lane wants written: frames, or a frontier, or both. Owned by the lane's side and lent to the
// committer from `submit` until `done` is called.
struct Commit {
  SpoolWriter* writer = nullptr;  // the committer's thread alone uses it meanwhile
  std::vector<std::string_view> frames;
  std::uint64_t bytes = 0;     // of them
  std::uint64_t trim_to = 0;   // 0: leave the frontier
  bool rest = false;           // nothing waits: give the space back
  std::function<void()> done;  // on the committer's thread

  // The answer.
  Status status;           // of the frames
  SpoolExtent stored;      // what may be read
  std::uint64_t next = 0;  // the sequence of the next frame
  std::uint64_t size = 0;  // of the spool's files
};

// Resource, process-wide: one thread that writes and syncs the spools of all lanes and workers. Nobody's loop waits for
// a disk. The first commit opens a group; what comes while a group is synced makes up the next one, so that an idle
// disk answers at once and a busy one syncs once for many.
class Committer {
 public:
  struct Options {
    CommitMode mode = CommitMode::group;
    Nanos max_delay = 0;                // hold a group open for so long ...
    std::uint64_t max_bytes = 4 << 20;  // ... or until so much has gathered
    Nanos interval = kSecond;           // CommitMode::interval: from one sync to the next
  };
  struct Stats {
    std::uint64_t groups = 0;
    std::uint64_t commits = 0;
    std::uint64_t bytes = 0;
    std::uint64_t failures = 0;
    Nanos syncing = 0;
  };
  Committer(const Clock& clock, const Options& options);
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  ~Committer();  // what was submitted is done first

  void submit(Commit& commit);  // any thread
  [[nodiscard]] Stats stats() const;

 private:
  void run();
  [[nodiscard]] std::vector<Commit*> gather(std::unique_lock<std::mutex>& lock);
  void commit(std::vector<Commit*>& group);
  static void write(Commit& commit, Nanos wall);

  const Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Commit*> waiting_;
  std::uint64_t waiting_bytes_ = 0;
  Stats stats_;
  Nanos last_sync_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace logweir
