// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>

#include "base/log.h"
#include "metrics/metrics.h"
#include "pipeline/burial.h"
#include "pipeline/ledger.h"
#include "record/batch.h"

namespace logweir {

// Resource, one per worker, on its thread. Records that a decoder or filter throws over, until they are dead letters.
// They hold their source's position meanwhile.
class PoisonBin {
 public:
  struct Setup {
    Loop& loop;
    BatchPool& batches;
    Ledger& ledger;
    Metrics& metrics;
    Log log;
    Burial* burial = nullptr;  // may be null: they are dropped
  };
  explicit PoisonBin(Setup setup) : setup_(std::move(setup)) {}
  PoisonBin(const PoisonBin&) = delete;
  PoisonBin& operator=(const PoisonBin&) = delete;
  ~PoisonBin() { abandon(); }

  // `record` is out of the batch, which still has its receipt and all the record looks at.
  void take(const Batch& batch, const Record& record, std::string_view component, std::string_view what);
  [[nodiscard]] std::uint64_t waiting() const { return held_.size(); }
  // Lets go of all without an end: their sources will be read again from there. The burial first.
  void abandon();

 private:
  struct Held {
    BatchRef batch;
    ReceiptRef receipt;
    std::string component;
  };
  void ended(std::list<Held>::iterator held, bool stored);
  void count_dropped(const std::string& component);

  Setup setup_;
  std::list<Held> held_;
  LogLimit log_limit_;
};

}  // namespace logweir
