// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/plan.h"
#include "app/recent_log.h"
#include "base/clock.h"
#include "pipeline/pipeline.h"

namespace logweir {

// Value, valid while a page is made. What the pages of the admin port tell of, beside the metrics.
struct AgentFacts {
  const Plan& plan;
  const std::vector<PipelineSnapshot>& workers;
  const RecentLog& log;
  std::string host;
  Nanos started = 0;  // wall
  Nanos now = 0;      // wall
  Nanos uptime = 0;
  std::uint64_t memory_limit = 0;
  std::vector<std::string> reasons = {};  // why it is not well
};

}  // namespace logweir
