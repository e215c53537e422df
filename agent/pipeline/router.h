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
  const std::vector<Lane*>& route(const BatchRef& batch);

 private:
  struct Target {
    Lane* lane;
    Matcher matcher;
  };
  const std::vector<std::size_t>& lanes_for(const Tag& tag);

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
