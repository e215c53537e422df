// SPDX-License-Identifier: Apache-2.0
#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "codec/escapes.h"
#include "codec/hex.h"
#include "codec/json_scan.h"
#include "codec/kernel.h"
#include "codec/key_bits.h"
#include "codec/simd.h"
#include "codec/utf8.h"

LW_AVX2_BEGIN
namespace logweir {
namespace {

// clang-format off: each part builds on the ones before it
#include "codec/block_sse2.inc"
#include "codec/block_avx2.inc"
using Block = Block32;
#include "codec/text_kernel.inc"
#include "codec/json_find.inc"
#include "codec/json_scan.inc"
// clang-format on

}  // namespace
}  // namespace logweir
LW_TARGET_END

namespace logweir {
constinit const Kernel kAvx2Kernel = {find_byte, write_text, measure_text, scan_object, find_member, skip_value};
}
