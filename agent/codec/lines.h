// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace logweir {

// The first '\n' in [from, to), or nullptr. Vector code picked once per process by what the CPU has.
const char* find_newline(const char* from, const char* to);
// The same for any byte.
const char* find_byte(const char* from, const char* to, char byte);

}  // namespace logweir
