// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace logweir {

// What a reader that is not ours says of a text: simdjson's DOM. Apart, since simdjson's header is slow to compile.
bool simdjson_takes(std::string_view text);
// Whether a strict reader takes the text as one JSON object, no object in it having two keys that mean the same.
bool is_strict_object(std::string_view text);

}  // namespace logweir
