// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "plugin/input.h"
#include "plugins/inputs/tail/file.h"
#include "plugins/inputs/tail/options.h"

namespace logweir::tail {

// Resource, one per worker. Begins and ends generations: their uids, facts and sources.
class Generations {
 public:
  // `kept`: the fact of that uid is on disk, or can't be.
  Generations(InputServices& services, const TailOptions& options, std::function<void(std::uint64_t uid)> kept);
  Generations(const Generations&) = delete;
  Generations& operator=(const Generations&) = delete;

  // A new one in an open, non-empty file: from `file.start`, of `file.epoch`. The file is `keeping` then. False when
  // its head can't be read.
  bool begin(TailFile& file);
  // What an earlier run was reading; the file is `ready` then, at the place where that run was. False when the file
  // does not hold it any more: it was truncated since.
  bool resume(TailFile& file);
  // The rest of what was in `file` is in `copy` now. `file` is left without a generation, in the next epoch.
  void hand_over(TailFile& file, TailFile& copy);
  // The generation's bytes are no more: its positions and its fact are forgotten once all it sent is done.
  void forget(TailFile& file);
  // Stops reading for now; the next run goes on.
  void leave(TailFile& file);
  // Forgets one that no file was found for.
  void prune(std::uint64_t uid);
  // Tells the state what changed about the file, if it is worth it: as head and offset double, and when it comes to
  // rest. What is sent after the call can't be known to the state before that.
  void refresh_fact(TailFile& file, bool at_rest);
  void keep(TailFile& file, std::function<void()> durable);

 private:
  void reset(TailFile& file);
  void close(std::uint64_t uid, Source source);
  [[nodiscard]] OriginRef origin_for(const TailFile& file);

  InputServices& services_;
  const TailOptions& options_;
  std::function<void(std::uint64_t)> kept_;
  OriginRef shared_origin_;  // of all files, when it does not depend on the path
};

}  // namespace logweir::tail
