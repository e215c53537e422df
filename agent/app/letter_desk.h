// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "base/log.h"
#include "loop/loop.h"
#include "loop/mailbox.h"
#include "loop/watch.h"
#include "metrics/metrics.h"
#include "pipeline/replay.h"
#include "state/dead_letters.h"

namespace logweir {

// Resource, on the control loop. Owns the store of dead letters and sees to replays: looks at the start and whenever
// `logweir dlq replay` says so for letters that are marked and has them sent, a page at a time. What ended is dropped.
class LetterDesk {
 public:
  // Gives a page to a worker; `done` comes from its thread, or never when it stops before.
  using Send = std::function<void(std::vector<Letter> letters, std::function<void(ReplayResult)> done)>;

  LetterDesk(Loop& loop, Metrics& metrics, const std::string& directory, const LetterLimits& limits, Log log);
  LetterDesk(const LetterDesk&) = delete;
  LetterDesk& operator=(const LetterDesk&) = delete;
  ~LetterDesk() = default;  // after the workers, which use the store

  [[nodiscard]] DeadLetters& store() { return store_; }
  void start(Send send);  // the workers run
  void stop() { send_ = nullptr; }

 private:
  void describe(Metrics& metrics);
  void watch();
  void pull();
  void found(std::vector<Letter> letters);
  void ended(const ReplayResult& result);

  Loop& loop_;
  const std::string directory_;
  const Log log_;
  Send send_;
  std::unique_ptr<Watch> watch_;
  bool busy_ = false;              // a page is looked for or under way
  bool again_ = false;             // somebody asked meanwhile
  std::set<std::uint64_t> ended_;  // dropped; a store that could not must not make us send them again
  Mailbox<std::function<void()>> mail_;
  Timer later_;
  DeadLetters store_;  // last: its thread writes to the mailbox
};

}  // namespace logweir
