// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "state/database.h"
#include "state/state.h"
#include "state/table.h"

namespace logweir {

// Resource, the inside of State. The thread that brings the table to disk, in turns: wait until something is due, take
// what is pending out of the table, write it as one transaction, sync when a second is over or somebody waits for it.
class Keeper {
 public:
  Keeper(const State::Options& options, Log log);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper();  // one last turn

  // Connects, reads, starts the thread. Fails only where State::open does.
  Status open(Saved& saved);

  template <typename Change>
  void change(const Change& change) {
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      const bool pending = table_.pending();
      change(table_);
      first = !pending && table_.pending();
    }
    if (first) wake_.notify_one();  // the thread knows of no deadline yet
  }
  template <typename Look>
  [[nodiscard]] auto look(const Look& look) const {
    const std::lock_guard lock(mutex_);
    return look(table_);
  }
  void barrier(std::function<void()> done);
  [[nodiscard]] std::string fault() const;
  [[nodiscard]] State::Stats stats() const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  void run();
  void wait(Lock& lock);
  [[nodiscard]] std::optional<Nanos> due() const;
  void turn(Lock& lock);
  void keep(Lock& lock, bool must_sync);
  Status attempt(Lock& lock, bool must_sync);
  Status reconnect(Lock& lock);
  Status write(Lock& lock);
  Status sync(Lock& lock);
  void settle(const Status& status);

  Status connect(Saved& saved);
  Status open_file(Saved& saved);

  const State::Options options_;
  const std::string path_;
  const Log log_;
  const SystemClock clock_;

  mutable std::mutex mutex_;  // guards from here ...
  std::condition_variable wake_;
  Table table_;
  std::vector<std::function<void()>> barriers_;
  bool stopping_ = false;
  std::string fault_;
  State::Stats stats_;  // ... to here

  // The opener's, then the thread's.
  Fd lock_;
  std::unique_ptr<Database> database_;  // none: to be connected again
  Turn turn_;
  std::vector<std::function<void()>> serving_;
  Nanos next_write_ = 0;
  std::optional<Nanos> unsynced_since_;
  Nanos retry_at_ = 0;  // while there is a fault
  Nanos failing_since_ = 0;
  LogLimit fault_limit_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace logweir
