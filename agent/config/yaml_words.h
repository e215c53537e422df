// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace logweir {

// Texts as a value or key of block YAML: plain where that is safe, else in quotes.
std::string yaml_value(std::string_view text);
std::string yaml_key(std::string_view text);
// A text behind '#': what YAML does not take becomes a blank.
std::string yaml_comment(std::string_view text);

}  // namespace logweir
