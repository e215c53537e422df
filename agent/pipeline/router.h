// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/log.h"
#include "loop/loop.h"
#include "metrics/metrics.h"
#include "pipeline/lane.h"
#include "pipeline/ledger.h"
#include "pipeline/matcher.h"
#include "pipeline/tap.h"

namespace logweir {

// Interface. Knows which lanes leave a batch where it came from.
class Leaving {
 public:
  virtual ~Leaving() = default;
  // True: the lane does not get the batch now; its source will be read again for it.
  virtual bool leaves(Lane& lane, const Batch& batch) = 0;
};

// Resource, one per worker. Which lanes a tag goes to, worked out once per tag, and the counting of what that makes of
// a batch.
class Router {
 public:
  Router(Ledger& ledger, Metrics& metrics, Log log, Loop& loop)
      : ledger_(ledger),
        log_(std::move(log)),
        unrouted_(metrics.counter("logweir_unrouted_records_total", "Records whose tag no output asks for", {})),
        loop_(loop) {}
  void watch(Tap& tap) { tap_ = &tap; }
  void add(Lane& lane, Matcher matcher) { targets_.push_back({&lane, std::move(matcher)}); }

  // Seals the batch and gives each lane that wants it its records; what a lane had delivered in an earlier run is
  // passed over. Returns the lanes that got it, until the next call.
  // `leaving` may be null.
  const std::vector<Lane*>& route(const BatchRef& batch, Leaving* leaving);
  // The same for a batch of `source` that was read again for one lane.
  void route_to(std::size_t lane, const BatchRef& batch, const SourceState& source);
  [[nodiscard]] Lane& lane(std::size_t index) const { return *targets_[index].lane; }
  const std::vector<std::size_t>& lanes_for(const Tag& tag);  // may grow as tags come

 private:
  struct Target {
    Lane* lane;
    Matcher matcher;
  };
  std::uint32_t pass_over(std::size_t lane, const Batch& batch, const SourceState& source);

  Ledger& ledger_;
  Log log_;
  Counter& unrouted_;
  Loop& loop_;
  Tap* tap_ = nullptr;
  LogLimit unrouted_log_;
  std::vector<Target> targets_;
  std::vector<std::unique_ptr<std::vector<std::size_t>>> by_tag_;
  std::vector<Lane*> reached_;
};

}  // namespace logweir
