// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "metrics/metrics.h"

namespace logweir {

// The usual process_* figures, read from /proc/self at each scrape, and logweir_build_info{version}.
void add_process_metrics(Metrics& metrics, std::string_view version);

}  // namespace logweir
