// SPDX-License-Identifier: Apache-2.0
#include "codec/kernel.h"

namespace logweir {

const Kernel& kernel() {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  return has_avx2 ? kAvx2Kernel : kSse2Kernel;
}

}  // namespace logweir
