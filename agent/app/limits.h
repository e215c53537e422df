// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "app/plan.h"

namespace logweir {

// Value. What this process may use of the machine: the least of the machine and the control groups around us.
struct MachineLimits {
  std::uint64_t memory = 0;  // bytes; 0: unknown
  unsigned cpus = 1;
};
// Looks below `root` ("" for the real machine) for proc and sys. `affinity`: CPUs that the scheduler would give us.
MachineLimits read_limits(const std::string& root, unsigned affinity);

// A quarter of the memory, at most 256 MiB.
std::uint64_t default_memory_limit(std::uint64_t memory);

// service.memory_limit and service.workers as numbers; the machine is asked for what is left to it.
std::uint64_t memory_limit_of(const ServiceOptions& service);
unsigned worker_count_of(const ServiceOptions& service);

constexpr unsigned kMostWorkers = 256;
// "auto" is 0; nothing when the text is no count.
std::optional<unsigned> parse_workers(const std::string& text);

}  // namespace logweir
