// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

// The kernels' vector code is compiled twice in one generic binary: everything *defined* between LW_AVX2_BEGIN and
// LW_TARGET_END may use AVX2. Headers are included before it, so that no inline function of theirs, of which the linker
// keeps only one copy, is compiled for a newer CPU than the binary asks for.
#if defined(__clang__)
#define LW_AVX2_BEGIN \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,bmi,bmi2,lzcnt,popcnt\"))), apply_to = function)")
#define LW_TARGET_END _Pragma("clang attribute pop")
#else
#define LW_AVX2_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,lzcnt,popcnt\")")
#define LW_TARGET_END _Pragma("GCC pop_options")
#endif

// What the kernels need of the CPU they are compiled for.
#define LW_INLINE [[gnu::always_inline]] inline
