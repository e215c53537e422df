// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "loop/jobs.h"
#include "loop/loop.h"
#include "memory/pool.h"
#include "metrics/metrics.h"
#include "record/batch.h"

namespace logweir {

enum class Outcome : unsigned char {
  delivered,
  retry,
  rejected,
  poison,  // the engine's: the output threw over these records
};

// Value. An ordered list of records on offer. `ordinal` numbers its first record in the lane; the others follow
// without a gap. The list itself is valid during `send`; the records taken stay as they are until they are settled.
struct Shipment {
  std::span<const Part> parts;
  std::uint64_t ordinal = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // of their bodies
};

// Interface. The lane, as an output sees it. Calls may come inside `send` or later, on the output's thread.
class OutputHost {
 public:
  virtual ~OutputHost() = default;
  // There is room again: after a `send` that did not take all, the lane waits for this.
  virtual void ready() = 0;
  // What became of records [first, first + count), all of them taken before. `reason`: a word from a small set, for
  // metrics ("reset", "refused", "timeout", "http_503"). `not_before` (monotonic, 0: none): the peer asked to wait.
  // After any retry the lane backs off and offers the records again, in order, before any newer one. `answer`: what
  // the peer said of records it rejects, kept with them (the first 4 KiB).
  virtual void settle(std::uint64_t first, std::uint64_t count, Outcome outcome, std::string_view reason = {},
                      Nanos not_before = 0, std::string_view answer = {}) = 0;
  // There is no peer: nothing was taken, back off and offer again.
  virtual void unavailable(std::string_view reason, const Status& why) = 0;
};

struct OutputServices {
  Loop& loop;
  OutputHost& host;
  Pool& pool;
  Log log;
  Metrics& metrics;
  Jobs::Desk& jobs;
  std::string name;
};

// Interface. A destination; has no record queue and no retry timer (the lane has them). All calls on its thread.
class Output {
 public:
  virtual ~Output() = default;
  virtual Status open(OutputServices& services) = 0;
  // Takes a prefix of the shipment: returns how many records were taken (0: busy, `ready` will be called).
  // What is taken must be settled, each record once, in ranges of any order. If it throws, nothing was taken but what
  // it settled before: the lane finds the record that is to blame and gives up that one alone.
  virtual std::uint64_t send(const Shipment& shipment) = 0;
  // SIGUSR1: open files anew.
  virtual void reopen() {}
  // Gives up what is under way without settling it (the lane keeps it); `grace` has passed or nothing is left.
  virtual void close() = 0;
};

}  // namespace logweir
