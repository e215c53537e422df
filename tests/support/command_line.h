// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/cli.h"

namespace logweir {

// What the words behind the program's name are understood as.
inline Cli cli(std::vector<const char*> words) {
  words.insert(words.begin(), "logweir");
  return parse_cli(static_cast<int>(words.size()), words.data());
}

}  // namespace logweir
