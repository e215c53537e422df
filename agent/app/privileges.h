// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/plan.h"
#include "base/status.h"

namespace logweir {

// Value. One line for the log, on what the process may still do.
struct PrivilegeNote {
  bool warning = false;
  std::string text;
};

// Gives up what `service` says: another user and group with a few capabilities kept, no new privileges, landlock,
// seccomp; in this order, for the calling thread and all that it starts later. So it is called before there are other
// threads, and before anything is opened or made in the name of the agent; only the directories of positions and spools
// are made first, for the new user. What the kernel does not have is a note. After a failure the process must end.
Result<std::vector<PrivilegeNote>> drop_privileges(const Plan& plan);

// The first of these steps alone, for commands that touch the agent's files beside it: as root it becomes the service's
// user; for anybody else nothing happens, and the files' permissions decide.
Status become_service_user(const ServiceOptions& service);

}  // namespace logweir
