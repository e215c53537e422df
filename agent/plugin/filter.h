// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "metrics/metrics.h"
#include "record/batch.h"

namespace logweir {

struct FilterServices {
  Log log;
  Metrics& metrics;
  std::string name;
};

// Interface. Changes or drops records of an open batch in place; one object per worker. The engine counts what went
// in and out, so a filter that drops only compacts `batch.records`.
class Filter {
 public:
  virtual ~Filter() = default;
  virtual Status open(FilterServices& services) = 0;
  virtual void apply(Batch& batch, Nanos now) = 0;  // now: wall clock
  virtual void close() {}
};

}  // namespace logweir
