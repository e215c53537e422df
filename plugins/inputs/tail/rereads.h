// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "plugin/input.h"
#include "plugins/inputs/tail/file.h"
#include "plugins/inputs/tail/framing.h"

namespace logweir::tail {

class FileReread;

// Resource, one per worker. The files that the engine reads again for a lane; it hears where their bytes go.
class Rereads {
 public:
  Rereads(Loop& loop, LineRules rules) : loop_(loop), rules_(rules) {}

  // `file` is open. Null: no descriptor is left.
  std::shared_ptr<Reread> make(const TailFile& file);
  // The source's bytes are in another file now, which is open; or nowhere.
  void moved(Source source, const TailFile& to);
  void lost(Source source);

 private:
  template <typename Act>
  void each_of(Source source, Act act);

  Loop& loop_;
  const LineRules rules_;
  std::vector<std::pair<Source, std::weak_ptr<FileReread>>> made_;
};

}  // namespace logweir::tail
