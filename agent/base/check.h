// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace logweir {

// Prints the broken assumption with its place and aborts. A CHECK guards against bugs only, never against input.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace logweir

// Named LW_CHECK, since doctest owns CHECK.
#define LW_CHECK(condition)                                    \
  (__builtin_expect(static_cast<bool>(condition), 1) ? void(0) \
                                                     : ::logweir::check_failed(#condition, __FILE__, __LINE__))
