// SPDX-License-Identifier: Apache-2.0
#include "app/privileges.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "app/paths.h"
#include "app/privileges_landlock.h"
#include "app/privileges_seccomp.h"
#include "app/privileges_user.h"
#include "app/spools.h"

namespace logweir {

namespace {

using Notes = std::vector<PrivilegeNote>;

Capabilities to_keep(const ServiceOptions& service) {
  Capabilities keep = 0;
  for (const std::string& name : service.keep_capabilities) keep |= capability_of(name).value_or(0);
  return keep;
}

bool wants_another(const ServiceOptions& service) { return !service.user.empty() || !service.group.empty(); }

// Whether somebody who is not root is already who the conf asks for, as under systemd's User=.
bool is_already(const Identity& identity) { return identity.user == ::geteuid() && identity.group == ::getegid(); }

std::string name_of(const Identity& identity) {
  return identity.name.empty() ? fmt::format("uid {}", identity.user)
                               : fmt::format("{} (uid {})", identity.name, identity.user);
}

Status make_own_directories(const Plan& plan, const Identity& identity) {
  if (needs_state(plan)) {
    if (Status status = make_directory_for(identity, state_directory(plan)); !status.ok()) return status;
  }
  if (plan.service.storage_path.empty()) return {};  // below the first
  return make_directory_for(identity, plan.service.storage_path);
}

Status change_user(const Plan& plan, Notes& notes) {
  if (!wants_another(plan.service)) return {};
  auto identity = find_identity(plan.service.user, plan.service.group);
  if (!identity.ok()) return identity.status();
  if (::geteuid() != 0) {
    if (is_already(identity.value())) return {};
    return {Code::denied,
            fmt::format("service.user is {}, but the agent was started by uid {}, gid {}, who can't change "
                        "that; start it as root, or take service.user and service.group out",
                        name_of(identity.value()), ::geteuid(), ::getegid())};
  }
  if (!identity.value().same_user) {
    if (Status status = make_own_directories(plan, identity.value()); !status.ok()) return status;
  }
  auto kept = become(identity.value(), to_keep(plan.service));
  if (!kept.ok()) return kept.status();
  notes.push_back({false, fmt::format("runs as {}, gid {}; capabilities kept: {}", name_of(identity.value()),
                                      identity.value().group, names_of(kept.value()))});
  return {};
}

// Landlock or seccomp: what the kernel does not have is said and done without; any other failure ends the start.
Status optional_step(std::string_view key, Status status, Notes& notes) {
  if (status.ok()) {
    notes.push_back({false, fmt::format("{} is on", key)});
    return {};
  }
  if (status.code() != Code::unavailable) return std::move(status).while_doing(fmt::format("service.{}", key));
  notes.push_back({true, fmt::format("service.{} is off: {}", key, status.message())});
  return {};
}

}  // namespace

Result<Notes> drop_privileges(const Plan& plan) {
  Notes notes;
  if (Status status = change_user(plan, notes); !status.ok()) return status;
  if (plan.service.no_new_privs && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return Status::from_errno(errno, "service.no_new_privs");
  }
  if (plan.service.landlock) {
    // Only what is there can be let through by itself.
    if (Status status = make_own_directories(plan, {"", ::geteuid(), ::getegid(), true}); !status.ok()) return status;
    if (Status status = optional_step("landlock", close_fences(fences_of(plan)), notes); !status.ok()) return status;
  }
  if (plan.service.seccomp) {
    if (Status status = optional_step("seccomp", refuse_calls(), notes); !status.ok()) return status;
  }
  return notes;
}

Status become_service_user(const ServiceOptions& service) {
  if (::geteuid() != 0 || !wants_another(service)) return {};
  auto identity = find_identity(service.user, service.group);
  if (!identity.ok()) return identity.status();
  return become(identity.value(), to_keep(service)).status();
}

}  // namespace logweir
