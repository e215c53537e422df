// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace logweir::file_out {

// The file name for a tag, written to `name`: every `/`, control byte and a `.` at the start become `_`; one that is
// too long for a file name is cut and gets a hash of the whole.
void name_for_tag(std::string_view tag, std::string& name);

// "a.log" rotated at `wall`: "a.log.20231114T221320Z", sorted by name as by time.
std::string rotated_name(std::string_view path, Nanos wall, int attempt);
// Whether `name` is what `rotated_name` makes of `base`.
bool is_rotated_name(std::string_view name, std::string_view base);

}  // namespace logweir::file_out
