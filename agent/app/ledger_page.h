// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "pipeline/pipeline.h"

namespace logweir {

// Most sources of one worker on the page: those furthest behind.
constexpr std::size_t kMostSourcesShown = 1000;

// /api/v1/ledger: the counts of all workers and of each, its lanes, and its sources with how far each lane has got.
std::string ledger_json(const std::vector<PipelineSnapshot>& workers);

}  // namespace logweir
