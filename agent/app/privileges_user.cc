// SPDX-License-Identifier: Apache-2.0
#include "app/privileges_user.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "base/fd.h"
#include "base/file_system.h"
#include "config/schema.h"

namespace logweir {

namespace {

struct Named {
  std::string_view name;
  unsigned number;
};
// What reading logs and listening may need. Nothing here writes to others' files or becomes somebody else.
constexpr std::array kKeepable = {
    Named{"dac_read_search", CAP_DAC_READ_SEARCH},
    Named{"net_bind_service", CAP_NET_BIND_SERVICE},
    Named{"net_raw", CAP_NET_RAW},
    Named{"net_admin", CAP_NET_ADMIN},
    Named{"ipc_lock", CAP_IPC_LOCK},
    Named{"sys_nice", CAP_SYS_NICE},
    Named{"sys_resource", CAP_SYS_RESOURCE},
    Named{"syslog", CAP_SYSLOG},
    Named{"bpf", CAP_BPF},
    Named{"perfmon", CAP_PERFMON},
};

constexpr unsigned kMostCapabilities = 64;
constexpr std::size_t kLookupBytes = 64 * 1024;

constexpr Capabilities bit(unsigned number) { return Capabilities{1} << number; }

template <typename Number>
std::optional<Number> number_of(const std::string& text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // The highest number means "leave it as it is" to the kernel.
  if (error != std::errc() || end != text.data() + text.size() || value == static_cast<Number>(-1)) return std::nullopt;
  return value;
}

Result<Identity> find_user(const std::string& user) {
  std::string room(kLookupBytes, '\0');
  passwd entry{};
  passwd* found = nullptr;
  const auto number = number_of<uid_t>(user);
  const int error = number ? ::getpwuid_r(*number, &entry, room.data(), room.size(), &found)
                           : ::getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &found);
  if (found != nullptr) return Identity{found->pw_name, found->pw_uid, found->pw_gid};
  if (number) return Identity{"", *number, static_cast<gid_t>(-1)};
  if (error != 0 && error != ENOENT) return Status::from_errno(error, "look up service.user " + user);
  return Status(Code::not_found, "service.user is '" + user +
                                     "', and this machine has no such user; make one (useradd --system), or give "
                                     "another");
}

Result<gid_t> find_group(const std::string& name) {
  std::string room(kLookupBytes, '\0');
  group entry{};
  group* found = nullptr;
  if (const auto number = number_of<gid_t>(name); number) return *number;
  const int error = ::getgrnam_r(name.c_str(), &entry, room.data(), room.size(), &found);
  if (found != nullptr) return found->gr_gid;
  if (error != 0 && error != ENOENT) return Status::from_errno(error, "look up service.group " + name);
  return Status(Code::not_found, "service.group is '" + name + "', and this machine has no such group");
}

Status set_capabilities(Capabilities set) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  for (unsigned half = 0; half < data.size(); ++half) {
    data.at(half).permitted = data.at(half).effective = static_cast<std::uint32_t>(set >> (32 * half));
  }
  if (::syscall(SYS_capset, &header, data.data()) == 0) return {};
  return Status::from_errno(errno, "keep the capabilities " + names_of(set));
}

// What no program that we might become could get back. An old kernel that knows fewer of them ends the list.
void bound_capabilities(Capabilities keep) {
  for (unsigned number = 0; number < kMostCapabilities; ++number) {
    if ((keep & bit(number)) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0) return;
  }
}

Status switch_ids(const Identity& identity) {
  const int groups = identity.same_user      ? 0
                     : identity.name.empty() ? ::setgroups(0, nullptr)
                                             : ::initgroups(identity.name.c_str(), identity.group);
  if (groups != 0) return Status::from_errno(errno, "set the groups of service.user");
  if (::setresgid(identity.group, identity.group, identity.group) != 0) {
    return Status::from_errno(errno, fmt::format("become group {}", identity.group));
  }
  if (identity.same_user) return {};
  if (::setresuid(identity.user, identity.user, identity.user) != 0) {
    return Status::from_errno(errno, fmt::format("become user {}", identity.user));
  }
  return {};
}

// Trust is good: the way back must be shut.
Status check_gone(const Identity& identity) {
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  ::getresuid(&real, &effective, &saved);
  const bool all = real == identity.user && effective == identity.user && saved == identity.user;
  if (all && (identity.user == 0 || ::setuid(0) != 0)) return {};
  return {Code::denied, fmt::format("could not become user {} for good", identity.user)};
}

}  // namespace

Result<Identity> find_identity(const std::string& user, const std::string& group) {
  Identity identity{"", ::geteuid(), static_cast<gid_t>(-1), true};
  if (!user.empty()) {
    auto found = find_user(user);
    if (!found.ok()) return found.status();
    identity = found.value();
  }
  if (!group.empty()) {
    auto found = find_group(group);
    if (!found.ok()) return found.status();
    identity.group = found.value();
  }
  if (identity.group == static_cast<gid_t>(-1)) {
    return Status(Code::invalid, "service.user is the number " + user +
                                     ", which this machine has no name for; give service.group as well");
  }
  return identity;
}

std::optional<Capabilities> capability_of(std::string_view name) {
  if (name.size() > 4 && same_key(name.substr(0, 4), "cap_")) name.remove_prefix(4);
  for (const Named& known : kKeepable) {
    if (same_key(name, known.name)) return bit(known.number);
  }
  return std::nullopt;
}

std::string keepable_capabilities() {
  std::string list;
  for (const Named& known : kKeepable) list += (list.empty() ? "" : ", ") + std::string(known.name);
  return list;
}

std::string names_of(Capabilities set) {
  std::string list;
  for (const Named& known : kKeepable) {
    if ((set & bit(known.number)) != 0) list += (list.empty() ? "" : ", ") + std::string(known.name);
  }
  return list.empty() ? "none" : list;
}

Result<Capabilities> permitted_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return Status::from_errno(errno, "read our own capabilities");
  return Capabilities{data[0].permitted} | Capabilities{data[1].permitted} << 32;
}

Result<Capabilities> become(const Identity& identity, Capabilities keep) {
  auto had = permitted_capabilities();
  if (!had.ok()) return had.status();
  if (identity.same_user) {
    Status status = switch_ids(identity);
    return status.ok() ? Result<Capabilities>(had.value()) : Result<Capabilities>(std::move(status));
  }
  keep &= had.value();
  bound_capabilities(keep);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return Status::from_errno(errno, "keep capabilities");
  if (Status status = switch_ids(identity); !status.ok()) return status;
  if (Status status = set_capabilities(keep); !status.ok()) return status;
  ::prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
  if (Status status = check_gone(identity); !status.ok()) return status;
  return keep;
}

Status make_directory_for(const Identity& identity, const std::string& path) {
  if (Status status = make_directories(directory_of(path), 0755); !status.ok()) return status;
  const bool made = ::mkdir(path.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return Status::from_errno(errno, "make the directory " + path);
  // What was made a moment ago may have been swapped for a link by who owns the parent: then it is not ours to give.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (made ? O_NOFOLLOW : 0)));
  struct stat at{};
  if (!fd || ::fstat(fd.get(), &at) != 0) return Status::from_errno(errno, "open the directory " + path);
  if (made && at.st_uid == ::geteuid()) {
    if (::fchown(fd.get(), identity.user, identity.group) == 0) return {};
    return Status::from_errno(errno, "give the directory " + path + " to service.user");
  }
  const bool by_group = at.st_gid == identity.group && (at.st_mode & S_IWGRP) != 0;
  if (at.st_uid == identity.user || by_group || (at.st_mode & S_IWOTH) != 0) return {};
  return {Code::denied, fmt::format("{} does not belong to service.user, who could not write there; to go on with what "
                                    "is in it: chown -R {} {}",
                                    path, identity.name.empty() ? std::to_string(identity.user) : identity.name, path)};
}

}  // namespace logweir
