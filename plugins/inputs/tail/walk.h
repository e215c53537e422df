// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plugins/inputs/tail/glob.h"
#include "plugins/inputs/tail/identity.h"

namespace logweir::tail {

// Interface. What a walk over a pattern finds.
class WalkSink {
 public:
  virtual ~WalkSink() = default;
  // Something that bears on the pattern may come, go or change in this directory: watch it.
  virtual void directory(const std::string& path) = 0;
  // A regular file of that path (followed when the path itself is a link).
  virtual void file(const std::string& path, const FileStat& stat, bool is_link) = 0;
};

// Looks at everything a pattern leads to now. Watched are: directories with names to match in them, those that hold a
// link on the way (it may flip) and the deepest one there is when the next is missing. `**` follows no links to
// directories and goes 64 levels deep.
void walk(const PathPattern& pattern, WalkSink& sink);

}  // namespace logweir::tail
