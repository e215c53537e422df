// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/plan.h"
#include "plugin/entry.h"

namespace logweir {

// Runs a checked conf until it is told to stop (SIGTERM, SIGINT) or its inputs are done. Returns the exit code: 0
// fine, 1 could not start or had to stop at once, 78 a conf that turned out to be bad while opening.
int run_agent(const Plan& plan);

}  // namespace logweir
