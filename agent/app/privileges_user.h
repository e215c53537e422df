// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace logweir {

// Value. Who to become.
struct Identity {
  std::string name;  // as /etc/passwd has it; empty: only a number is known
  uid_t user = 0;
  gid_t group = 0;
  bool same_user = false;  // no user was asked for: only the group changes
};

// Looks up `service.user` and `service.group`, names or numbers, one of them not empty. `not_found` when the machine
// does not know one; a user known by number alone needs a group.
Result<Identity> find_identity(const std::string& user, const std::string& group);

// Value. A set of capabilities, a bit for each number of linux/capability.h.
using Capabilities = std::uint64_t;

// The bit of a name such as dac_read_search (also cap_dac_read_search, in any case); nothing for one that is not to be
// kept by an agent. `keepable_capabilities` lists the names, for messages.
std::optional<Capabilities> capability_of(std::string_view name);
std::string keepable_capabilities();
std::string names_of(Capabilities set);

// What the calling thread is permitted now.
Result<Capabilities> permitted_capabilities();

// The calling process becomes that user and group for good, with the user's other groups, and of its capabilities keeps
// those in `keep` that it has. Needs root. Gives what it kept. After a failure the process must end.
Result<Capabilities> become(const Identity& identity, Capabilities keep);

// Makes a missing directory and its missing parents; the directory itself is then the identity's own, for it alone. One
// that is there stays as it is; `denied` when it belongs to somebody else.
Status make_directory_for(const Identity& identity, const std::string& path);

}  // namespace logweir
