// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace logweir {

// Any bytes as text that moves no cursor and changes no colour: well-formed UTF-8 without control characters.
std::string terminal_text(std::string_view bytes);

// Such text in a column `width` characters wide: cut with `~`, or filled with blanks. Wide characters count as one.
std::string in_column(std::string_view text, std::size_t width, bool to_the_right = false);

}  // namespace logweir
