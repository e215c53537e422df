// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "app/plan.h"

namespace logweir {

// Value. `logweir spool VERB [--output NAME] [--limit N]`.
struct SpoolRequest {
  std::string verb = {};    // list, cat or verify
  std::string output = {};  // only the spools of this output; empty: all
  std::int64_t limit = 0;   // of cat: at most so many records; 0: all
};

// Looks into the spools of the conf, beside a running agent or without one: takes no lock, changes nothing. Returns the
// exit code: 0 done, and of verify: all is whole; 1 something is damaged or can't be read; 64 bad usage.
int run_spool(const SpoolRequest& request, const Plan& plan, std::ostream& out, std::ostream& err);

// `logweir help spool`.
std::string spool_help();

}  // namespace logweir
