// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"
#include "pipeline/breaker.h"

namespace logweir {

enum class WhenFull : int { automatic, block, spill, drop_newest, drop_oldest };

// The keys every output takes beside its own; see lane_schema() for what they mean.
struct LaneOptions {
  Duration linger{-1};         // -1: the plugin's own default
  Bytes batch_bytes{1 << 20};  // most bytes in one shipment
  std::int64_t batch_records = 10000;
  Bytes queue_bytes{8 << 20};                // the lane's budget
  WhenFull when_full = WhenFull::automatic;  // settled by make_plan
  bool durable = false;
  Bytes spool_bytes{1 << 30};
  std::string retry_limit = "no_limits";
  Duration backoff_base{kSecond};
  Duration backoff_cap{60 * kSecond};
  std::int64_t breaker_failures = 5;
  std::int64_t breaker_failure_rate = 0;  // percent
  std::int64_t breaker_min_attempts = 20;
  Duration breaker_window{30 * kSecond};
  Duration breaker_pause{0};
  Duration max_age{-1};          // -1: records may wait for ever
  std::string shed_below;        // a severity; empty: nothing is shed
  std::int64_t shed_above = 80;  // percent of queue_bytes
  std::vector<std::string> severity_key{"level", "severity"};
};
const Schema& lane_schema();

// retry_limit as a number: UINT64_MAX for no_limits/false/off, 0 for no_retries.
std::uint64_t retry_limit_of(const std::string& word);
Breaker::Options breaker_options_of(const LaneOptions& options);

}  // namespace logweir
