// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/agent_facts.h"
#include "app/figures.h"

namespace logweir {

// /api/v1/pipeline: the whole agent as one document, for `logweir top` and the status page. Counters are raw; who reads
// makes rates from two of them. Names, reasons and log lines may hold any bytes; here they are JSON strings.
std::string pipeline_json(const AgentFacts& facts, Figures& figures);

}  // namespace logweir
