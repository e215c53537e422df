// SPDX-License-Identifier: Apache-2.0
#include "app/privileges_landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "app/paths.h"
#include "app/spools.h"
#include "base/fd.h"
#include "base/file_system.h"

namespace logweir {

namespace {

using Rights = std::uint64_t;

// Rights that later kernels added, by the number of their interface.
constexpr Rights kRefer = Rights{1} << 13;     // 2: rename from one directory to another
constexpr Rights kTruncate = Rights{1} << 14;  // 3

constexpr Rights kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr Rights kChange = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                           LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr Rights kNever = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                          LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr Rights kOnFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

Rights later_rights(long abi) { return (abi >= 2 ? kRefer : 0) | (abi >= 3 ? kTruncate : 0); }

// Names, certificates, zones, our own figures, and the libraries that look-ups of names load.
constexpr const char* kSystem[] = {"/etc", "/usr", "/lib", "/lib64", "/proc", "/sys", "/dev", "/run"};
constexpr const char* kNull = "/dev/null";

// The path, or its nearest parent that is there: who makes the rest must be let. Not the root for the sake of a name
// that may be a slip: that would open all.
Fd open_nearest(std::string path) {
  Fd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  while (!fd && errno == ENOENT) {
    path = directory_of(path);
    if (path == "/") {
      errno = ENOENT;
      return {};
    }
    fd.reset(::open(path.c_str(), O_PATH | O_CLOEXEC));
  }
  return fd;
}

Status add(const Fd& rules, const std::string& path, Rights rights) {
  const Fd fd = open_nearest(path);
  if (!fd && errno == ENOENT) return {};
  struct stat at{};
  if (!fd || ::fstat(fd.get(), &at) != 0) return Status::from_errno(errno, "open " + path);
  if (!S_ISDIR(at.st_mode)) rights &= kOnFiles;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = fd.get();
  if (::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return {};
  return Status::from_errno(errno, "add a rule for " + path);
}

void add_to(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

FileFences fences_of(const Plan& plan) {
  FileFences fences;
  fences.read = plan.service.landlock_read;
  for (const InputPlan& input : plan.inputs) {
    if (input.entry->reads_below != nullptr) add_to(fences.read, input.entry->reads_below(input.options.get()));
  }
  fences.write = {kNull, state_directory(plan), spools_directory(plan)};
  add_to(fences.write, plan.service.landlock_write);
  if (!plan.service.log_file.empty()) fences.write.push_back(directory_of(plan.service.log_file));
  for (const OutputPlan& output : plan.outputs) {
    if (output.entry->writes_below != nullptr) add_to(fences.write, output.entry->writes_below(output.options.get()));
  }
  return fences;
}

Status close_fences(const FileFences& fences) {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 0) return {Code::unavailable, "this kernel has no landlock, or it is switched off"};
  const Rights later = later_rights(abi);
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kRead | kChange | kNever | later;
  const Fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!rules) return Status::from_errno(errno, "make a set of rules");
  for (const char* path : kSystem) {
    if (::access(path, F_OK) != 0) continue;
    if (Status status = add(rules, path, kRead); !status.ok()) return status;
  }
  for (const std::string& path : fences.read) {
    if (Status status = add(rules, path, kRead); !status.ok()) return status;
  }
  for (const std::string& path : fences.write) {
    if (Status status = add(rules, path, kRead | kChange | later); !status.ok()) return status;
  }
  if (::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0) return {};
  return Status::from_errno(errno, "shut ourselves in");
}

}  // namespace logweir
