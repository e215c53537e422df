// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "loop/mailbox.h"

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

// Resource, process-wide. Positions and facts in one SQLite file (`state.db`) in the state directory, written by a
// thread of its own, never by a loop. Puts may come from any thread and only fill a table in memory; they are written
// within 10 ms (so they survive kill -9) and synced each second.
class State {
 public:
  struct Options {
    std::string directory;      // made if missing, 0700; files 0600
    Nanos write_every = 10 * kMillisecond;
    Nanos sync_every = kSecond;
  };
  // Locks the directory (a second agent: Code::busy, the sentence names directory and pid), reads everything.
  // A newer file version: Code::invalid, one sentence. A damaged file: moved aside (state.db.damaged-N), a warning, and a fresh start.
  // A directory that can't be made or written: no failure, but `fault()` says so and nothing is saved.
  static Result<std::unique_ptr<State>> open(const Options& options, Log log);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();  // writes and syncs what is left

  [[nodiscard]] const std::vector<SavedPosition>& positions() const;  // as they were at open
  [[nodiscard]] const std::vector<SavedFact>& facts() const;

  // The `lane` string must be interned by the caller for the State's life? No: it is copied on first use per (source, lane).
  void put_position(std::uint64_t source, std::string_view lane, std::uint64_t position);
  void put_fact(std::string_view instance, std::string_view key, std::string_view value);
  void drop_fact(std::string_view instance, std::string_view key);
  void drop_source(std::uint64_t source);  // all its positions

  // `done` is called on the state's thread (post to your own mailbox there) once everything put before is synced, or can't be.
  void barrier(std::function<void()> done);

  // Empty when all is well; else why positions are not being saved ("state.db: disk full ..."). Any thread.
  [[nodiscard]] std::string fault() const;

 private:
  struct Impl;
  explicit State(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace logweir
