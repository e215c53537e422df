// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/schema.h"

namespace logweir {

enum class WhenFull : int { block, drop_newest, drop_oldest };

// The keys every output takes beside its own; see lane_schema() for what they mean.
struct LaneOptions {
  Duration linger{-1};         // -1: the plugin's own default
  Bytes batch_bytes{1 << 20};  // most bytes in one shipment
  std::int64_t batch_records = 10000;
  Bytes queue_bytes{8 << 20};  // the lane's budget
  WhenFull when_full = WhenFull::block;
  std::string retry_limit = "no_limits";
  Duration backoff_base{kSecond};
  Duration backoff_cap{60 * kSecond};
};
const Schema& lane_schema();

// retry_limit as a number: UINT64_MAX for no_limits/false/off, 0 for no_retries.
std::uint64_t retry_limit_of(const std::string& word);

}  // namespace logweir
