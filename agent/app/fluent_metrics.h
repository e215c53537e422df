// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/agent_facts.h"
#include "app/figures.h"

namespace logweir {

// Values. Our figures under the names that Fluent Bit's dashboards ask for.
struct FluentFamily {
  std::string name;
  std::string help;
  bool counter = true;  // else a gauge
  bool v1 = true;       // also in the first version of its pages
  std::vector<std::pair<Labels, double>> samples = {};
};
std::vector<FluentFamily> fluent_families(const AgentFacts& facts, Figures& figures);

// Prometheus text of them: version 1 has fewer and a time in each line.
std::string fluent_prometheus_v1(const std::vector<FluentFamily>& families, Nanos now);
std::string fluent_prometheus_v2(const std::vector<FluentFamily>& families);
// The text of /api/v2/metrics: "TIME NAME{LABELS} = VALUE".
std::string fluent_text(const std::vector<FluentFamily>& families, Nanos now);

// /api/v1/metrics: {"input":{NAME:{"records":0, ...}}, "filter":{...}, "output":{...}}.
std::string fluent_metrics_json(const AgentFacts& facts, Figures& figures);

// Value. What Fluent Bit calls chunks, in units of the pool's chunk.
struct FluentChunks {
  std::uint64_t memory = 0;
  std::uint64_t disk = 0;
};
FluentChunks fluent_chunks(const AgentFacts& facts, Figures& figures);

}  // namespace logweir
