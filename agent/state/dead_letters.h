// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "state/letter_file.h"

namespace logweir {

// Where they are in a state directory, and the file that is written to ask a running agent to look for what shall be
// replayed.
std::string letters_directory(const std::string& state_directory);
std::string letters_path(const std::string& directory);
std::string replay_request_path(const std::string& directory);

// Resource, process-wide. The bounded store of records that were given up, written by a thread of its own. The
// directory is made and locked with the first letter. All calls from any thread; callbacks come on the store's thread
// (post to your own mailbox there), or at once when the store refuses.
class DeadLetters {
 public:
  struct Options {
    std::string directory;
    LetterLimits limits;
    std::uint64_t pending_bytes = 8 << 20;   // not yet written; beyond it letters are refused
    std::function<void()> opened = nullptr;  // the directory is there; on the store's thread
  };
  struct Stats {
    std::uint64_t stored = 0;
    std::uint64_t refused = 0;
    std::uint64_t evicted = 0;  // the oldest, at the limits
    std::uint64_t letters = 0;  // in the store, when it was last looked at
    std::uint64_t bytes = 0;
  };
  DeadLetters(Options options, Log log);
  DeadLetters(const DeadLetters&) = delete;
  DeadLetters& operator=(const DeadLetters&) = delete;
  ~DeadLetters();  // writes what is pending

  // All or none are on disk when `stored(true)` is called.
  void put(std::vector<Letter> letters, std::function<void(bool stored)> stored);
  // The oldest letters that shall be replayed, a page of them; none when there is no store.
  void marked(std::function<void(std::vector<Letter> letters)> found);
  void drop(std::vector<std::uint64_t> numbers);
  void unmark(std::vector<std::uint64_t> numbers);

  [[nodiscard]] Stats stats() const;

 private:
  struct Job {
    std::vector<Letter> letters;
    std::vector<std::uint64_t> drop;
    std::vector<std::uint64_t> unmark;
    std::function<void(bool)> stored;
    std::function<void(std::vector<Letter>)> found;
  };
  void give(Job job);
  void run();
  void work(std::vector<Job>& jobs);
  void write(std::vector<Job>& jobs);
  void change(const Job& job);
  Status add(const std::vector<Letter>& letters);
  std::vector<Letter> find();
  Status open(bool make);
  void note(const Status& status);

  const Options options_;
  const std::string path_;
  const Log log_;
  const SystemClock clock_;

  mutable std::mutex mutex_;  // guards from here ...
  std::condition_variable wake_;
  std::vector<Job> jobs_;
  std::uint64_t pending_ = 0;
  bool stopping_ = false;
  Stats stats_;  // ... to here

  // The thread's.
  Fd lock_;
  bool announced_ = false;  // this directory, to `opened`
  std::unique_ptr<LetterFile> file_;
  LogLimit fault_limit_{60 * kSecond};
  LogLimit full_limit_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace logweir
