// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace logweir {

// Bytes that the text format can carry: each ill-formed part of UTF-8, and NUL, becomes U+FFFD.
std::string metric_text(std::string_view bytes);

// The same for a HELP line, which prometheus-cpp writes as it is: backslash and newline are escaped here.
std::string metric_help(std::string_view text);

// A label or metric name: other characters than the format allows become '_'.
std::string metric_name(std::string_view name);

}  // namespace logweir
