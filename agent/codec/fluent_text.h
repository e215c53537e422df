// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace logweir {

// Appends a record as Fluent Bit's stdout prints it: [0] tag: [[sec.nsec, {}], {"k"=>"v", "n"=>1}]. `object` is valid
// JSON; strings keep their JSON escapes, so that a line stays a line.
void write_fluent_line(std::string& out, std::uint64_t number, std::string_view tag, Nanos time,
                       std::string_view object);

}  // namespace logweir
