// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/agent_facts.h"
#include "app/figures.h"
#include "plugin/entry.h"

namespace logweir {

// Pages of Fluent Bit's admin port that are no metrics, in their shapes.

// /api/v1/uptime: {"uptime_sec":N,"uptime_hr":"..."}.
std::string uptime_json(Nanos uptime);
// /api/v1/plugins: {"inputs":[...],"filters":[...],"outputs":[...]}, all that this agent contains.
std::string plugins_json(const Shelf& shelf);
// /api/v1/storage. Chunks are in units of our pool's; their `busy` and `down` are always 0.
std::string storage_json(const AgentFacts& facts, Figures& figures);

}  // namespace logweir
