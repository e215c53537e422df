// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codec/json_tree.h"

namespace logweir {

// Two documents of /api/v1/pipeline, the earlier one first, as a table: a line each, at most `width` characters wide. A
// counter that fell, since the agent was started anew, counts from 0.
std::vector<std::string> top_lines(const JsonTree& before, const JsonTree& now, std::size_t width);

// The delay below which `share` of the records between two histograms stayed, in seconds: between the bounds of its
// bucket in proportion; beyond the last bound that bound; below 0 when there were no records.
double share_of_delays(const std::vector<JsonTree>& bounds, const std::vector<JsonTree>& before,
                       const std::vector<JsonTree>& now, double share);

// "950", "1.2k", "3.4M": at most five characters.
std::string short_number(double value);
// "0.35ms", "12ms", "1.5s".
std::string short_seconds(double seconds);

}  // namespace logweir
