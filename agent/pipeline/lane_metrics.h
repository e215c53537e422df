// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metrics/metrics.h"

namespace logweir {

// Value. The cells a lane counts in; one set per lane and worker.
struct LaneMetrics {
  LaneMetrics(Metrics& metrics, const std::string& output);
  Counter& delivered;
  Counter& retried;
  Counter& rejected;
  Counter& dropped;
  Counter& bytes;
  Counter& left;
  Counter& sends;
  Counter& retries;
  Counter& breaker_opens;
  Gauge& in_flight;
  Gauge& queue_bytes;
  Gauge& left_bytes;
  Gauge& oldest_waiting;
  Histogram& queue_wait;
  Histogram& send_time;
  Histogram& delay;
};

}  // namespace logweir
