// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/plan.h"
#include "spool/format.h"

namespace logweir {

// What a conf says of spools; whoever writes, reads or shows them asks here.

// Where they lie (the root of spool/directory.h): service.storage.path, else `spool` in the state directory.
std::string spools_directory(const Plan& plan);
// Whose records an output's spool holds. The instance is the alias, so that another destination under the same alias is
// told apart; without one it is the output's id, which the destination is a part of.
SpoolIdentity spool_identity(const OutputPlan& output);

}  // namespace logweir
