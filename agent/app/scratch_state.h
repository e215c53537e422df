// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/plan.h"

namespace logweir {

// Resource. A state directory for one run: made empty for a plan that names none (and whose inputs have no `db`), put
// into the plan, and gone with this object, but for records in it that were not delivered. Where it can't be made the
// plan stays as it is.
class ScratchState {
 public:
  ScratchState(Plan& plan, bool wanted);
  ScratchState(const ScratchState&) = delete;
  ScratchState& operator=(const ScratchState&) = delete;
  ~ScratchState();

 private:
  std::string directory_;  // empty: none was made
};

}  // namespace logweir
