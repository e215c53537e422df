// SPDX-License-Identifier: Apache-2.0
#include "app/scratch_state.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace logweir {

ScratchState::ScratchState(Plan& plan, bool wanted) {
  const bool has_db =
      std::any_of(plan.inputs.begin(), plan.inputs.end(), [](const InputPlan& input) { return !input.db.empty(); });
  if (!wanted || has_db || !plan.service.state_dir.empty()) return;
  const char* folder = std::getenv("TMPDIR");
  std::string name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/logweir-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return;
  directory_ = std::move(name);
  plan.service.state_dir = directory_;
}

ScratchState::~ScratchState() {
  namespace fs = std::filesystem;
  if (directory_.empty()) return;
  std::error_code ignored;
  for (const char* folder : {"dead_letters", "spool"}) {
    if (!fs::exists(fs::path(directory_) / folder, ignored)) continue;
    std::fprintf(stderr,
                 "logweir: warning: records that were not delivered are kept in %s; -p db=FILE or a conf with "
                 "state_dir says where\n",
                 directory_.c_str());
    return;
  }
  fs::remove_all(directory_, ignored);
}

}  // namespace logweir
