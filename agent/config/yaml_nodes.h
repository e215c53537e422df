// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree.h"

namespace logweir {

// The documents of a YAML text as nodes: aliases put in, repeated keys kept, scalars as they are written. A syntax
// error is a problem, and then there is no document.
std::vector<Node> yaml_documents(std::string_view text, const std::shared_ptr<const std::string>& file,
                                 Problems& problems);

}  // namespace logweir
