// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "config/raw.h"

namespace logweir {

// What a key means that is given several times in one section: the last one counts, or all of them do, and then each
// may hold several, divided by commas.
enum class Repeated { last, list, comma_list };
// `plugin` is the section's `name`, empty for the sections that have none.
using KeyTeller = std::function<Repeated(RawItem::Kind kind, std::string_view plugin, std::string_view key)>;

// A classic conf as YAML that means the same: comments, the order of sections of a kind, variables and included files
// stay as they are written. `name` is what problems call the conf. With a fault in the format the text is empty.
std::string classic_to_yaml(std::string_view text, const std::string& name, const KeyTeller& teller,
                            Problems& problems);

}  // namespace logweir
