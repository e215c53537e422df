// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "plugin/entry.h"

namespace logweir {

// Value. `logweir convert OLD.conf [-o NEW.yaml]`.
struct ConvertRequest {
  std::string from;
  std::string to;  // empty or "-": the standard output; a file that is there already is not replaced
};
// The exit code; what is wrong goes to `err`.
int run_convert(const ConvertRequest& request, const Shelf& shelf, std::ostream& out, std::ostream& err);

}  // namespace logweir
