// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/plan.h"

namespace logweir {

// The parsers of a conf; of two with one name the first stays. One that no input names is let off lightly: Fluent Bit's
// own collection of parsers may be included whole, with formats that are not built here.
std::vector<ParserOptions> plan_parsers(const ConfTree& tree, const std::vector<InputPlan>& inputs, Problems& problems);

}  // namespace logweir
