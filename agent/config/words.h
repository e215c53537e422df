// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace logweir {

// Small words on text, for this room. All views look into what was given.
std::string_view trimmed(std::string_view text);         // without blanks, tabs and carriage returns at both ends
bool same_text(std::string_view a, std::string_view b);  // without regard to ASCII case
std::vector<std::string_view> split_words(std::string_view text, char separator);  // each trimmed
std::string in_quotes(std::string_view text);                                      // as a YAML text in double quotes

}  // namespace logweir
