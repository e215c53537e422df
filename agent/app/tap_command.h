// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace logweir {

// Value. `logweir tap` as asked for.
struct TapRequest {
  std::string url = "http://127.0.0.1:2020";
  std::string instance;
  std::string match;
  std::int64_t limit = 20;
};

// Prints records that pass an instance of a running agent, as they come, until there are so many.
int run_tap(const TapRequest& request, std::ostream& out, std::ostream& err);

}  // namespace logweir
