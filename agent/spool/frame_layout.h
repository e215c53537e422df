// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "record/record.h"

namespace logweir {

// Sizes of the parts of a payload (frame.h).
constexpr std::size_t kOriginHead = 20;
constexpr std::size_t kRecordHead = 36;
constexpr std::size_t kFieldHead = 24;

// Whether a value of this kind is its text, not its number.
constexpr bool has_text(Value::Kind kind) { return kind == Value::Kind::string || kind == Value::Kind::json; }

}  // namespace logweir
