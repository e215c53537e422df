// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace logweir {

// A JSON text with the values of these keys, at any depth and without regard to case, as "***". `json` is valid.
std::string redacted(std::string_view json, const std::vector<std::string>& keys);

}  // namespace logweir
