// SPDX-License-Identifier: Apache-2.0
#include "app/spools.h"

#include "app/paths.h"

namespace logweir {

std::string spools_directory(const Plan& plan) {
  if (!plan.service.storage_path.empty()) return plan.service.storage_path;
  return state_directory(plan) + "/spool";
}

SpoolIdentity spool_identity(const OutputPlan& output) {
  const bool has_alias = output.id.starts_with(output.name + "@");  // "alias@destination's hash", else "plugin-hash"
  const auto destination = output.entry != nullptr ? output.entry->destination : nullptr;
  return {has_alias ? output.name : output.id, destination != nullptr ? destination(output.options.get()) : ""};
}

}  // namespace logweir
