// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/plan.h"

namespace logweir {

// Where positions are kept: service.state_dir; else, for a conf that names Fluent Bit's `db: PATH`, PATH.logweir of
// the first such input; else /var/lib/logweir for root or a service.user and $XDG_STATE_HOME/logweir
// (~/.local/state/logweir) for others.
std::string state_directory(const Plan& plan);
// Whether any input of the plan keeps positions.
bool needs_state(const Plan& plan);
// Our own log, what our stdout and stderr go to, and what outputs write, where these are files: they must never be
// read by us.
std::vector<std::string> own_files(const Plan& plan);
// A number of this machine that stays: from /etc/machine-id, else the host's name.
std::uint64_t machine_id();

}  // namespace logweir
