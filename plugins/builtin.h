// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/entry.h"

namespace logweir {

// Everything the agent contains.
Shelf builtin_shelf();

}  // namespace logweir
