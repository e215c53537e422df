// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"

namespace logweir {

// Texts of the commands that show what is on disk.

// 2023-11-14T22:13:20.123456789Z
std::string date_of(Nanos time);
// 2023-11-14T22:13:20Z
std::string second_of(Nanos time);
// For a terminal: what a file holds may be anything.
std::string tame(std::string text);

}  // namespace logweir
