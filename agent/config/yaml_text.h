// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/tree.h"

namespace logweir {

// Whether the YAML library may see this text: it takes byte 4 for the end and guesses UTF-16 from zero bytes.
bool is_yaml_text(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems);

// JSON writes U+1F600 as \ud83d\ude00, which is no YAML: such a pair becomes one \U0001f600.
std::string with_joined_surrogates(std::string_view text);

}  // namespace logweir
