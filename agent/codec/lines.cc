// SPDX-License-Identifier: Apache-2.0
#include "codec/lines.h"

#include "codec/kernel.h"

namespace logweir {

const char* find_newline(const char* from, const char* to) { return kernel().find_byte(from, to, '\n'); }
const char* find_byte(const char* from, const char* to, char byte) { return kernel().find_byte(from, to, byte); }

}  // namespace logweir
