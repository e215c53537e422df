// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"

namespace logweir {

// Value. How far a lane has got with a source.
struct SavedPosition {
  std::uint64_t source = 0;  // uid of a file generation
  std::string lane;          // stable id of the output instance and its destination
  std::uint64_t position = 0;
};

struct SavedFact {
  std::string instance;  // stable id of the input instance
  std::string key;
  std::string value;
};

// Value. An interned lane name; valid for the State's life.
enum class LaneKey : std::uint32_t {};

// Resource, process-wide. Positions and facts in one SQLite file (`state.db`) in the state directory, written by a
// thread of its own, never by a loop. Puts may come from any thread and only fill a table in memory; they are written
// within 10 ms (so they survive kill -9) and synced each second (so they survive a power cut). With nothing to write
// the thread sleeps. When the disk fails nothing exits: the newest of everything waits in memory, `fault()` says why,
// and the thread tries again each second; it also makes the file anew when somebody removes it.
class State {
 public:
  struct Options {
    std::string directory;  // made if missing, 0700; files 0600
    Nanos write_every = 10 * kMillisecond;
    Nanos sync_every = kSecond;
    Nanos retry_every = kSecond;
  };
  struct Stats {
    std::uint64_t writes = 0;  // transactions
    std::uint64_t rows = 0;    // changed by them
    std::uint64_t syncs = 0;
    std::uint64_t failures = 0;  // turns that could not be written or synced
    std::uint64_t damaged = 0;   // files moved aside
    Nanos writing = 0;           // total time in transactions
    Nanos syncing = 0;
  };
  // Locks the directory (a second agent: Code::busy, the sentence names directory and pid), reads everything.
  // A newer file version: Code::invalid, one sentence. A damaged file: moved aside (state.db.damaged-N, the newest five
  // are kept), a warning, and a fresh start.
  // A directory that can't be made or written: no failure, but `fault()` says so and nothing is saved.
  static Result<std::unique_ptr<State>> open(const Options& options, Log log);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();  // writes and syncs what is left

  // As they were at open, until `forget_opened`, which frees this copy once every input has started.
  [[nodiscard]] const std::vector<SavedPosition>& positions() const;
  [[nodiscard]] const std::vector<SavedFact>& facts() const;
  void forget_opened();
  // As they are now, written or not; for what starts later (a reload). Any thread; copies.
  [[nodiscard]] std::vector<SavedPosition> latest_positions() const;
  [[nodiscard]] std::vector<SavedFact> latest_facts() const;

  // The key of a lane for the cheap form of put_position: called for each delivered batch, it allocates nothing for a
  // source and lane it has seen.
  [[nodiscard]] LaneKey lane(std::string_view name);
  void put_position(std::uint64_t source, LaneKey lane, std::uint64_t position);
  void put_position(std::uint64_t source, std::string_view lane, std::uint64_t position);
  static constexpr std::size_t kLongestFact = 1 << 20;  // of its value; longer is a bug of the caller
  void put_fact(std::string_view instance, std::string_view key, std::string_view value);
  void drop_fact(std::string_view instance, std::string_view key);
  void drop_source(std::uint64_t source);  // all its positions

  // `done` is called on the state's thread (post to your own mailbox there) once everything put before is synced, or
  // can't be. Barriers that wait while a sync runs share the next one.
  void barrier(std::function<void()> done);

  // Empty when all is well; else why positions are not being saved, with the full path. Any thread.
  [[nodiscard]] std::string fault() const;
  [[nodiscard]] Stats stats() const;

 private:
  struct Impl;
  explicit State(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace logweir
