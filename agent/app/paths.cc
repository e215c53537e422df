// SPDX-License-Identifier: Apache-2.0
#include "app/paths.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fstream>

#include "base/hash.h"

namespace logweir {

bool needs_state(const Plan& plan) {
  return std::any_of(plan.inputs.begin(), plan.inputs.end(),
                     [](const InputPlan& input) { return input.entry->stateful; });
}

std::string state_directory(const Plan& plan) {
  if (!plan.service.state_dir.empty()) return plan.service.state_dir;
  for (const InputPlan& input : plan.inputs) {
    if (input.entry->stateful && !input.db.empty()) return input.db + ".logweir";
  }
  // With a user of its own the agent is a service, whoever it is by now.
  if (::geteuid() == 0 || !plan.service.user.empty()) return "/var/lib/logweir";
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
    return std::string(state) + "/logweir";
  }
  // Never a folder that everybody may write to: who comes first there owns our positions.
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    const passwd* user = ::getpwuid(::geteuid());
    home = user != nullptr ? user->pw_dir : "/nonexistent";
  }
  return std::string(home) + "/.local/state/logweir";
}

std::vector<std::string> own_files(const Plan& plan) {
  std::vector<std::string> files;
  if (!plan.service.log_file.empty()) files.push_back(plan.service.log_file);
  for (const OutputPlan& output : plan.outputs) {
    if (output.entry->writes == nullptr) continue;
    for (std::string& file : output.entry->writes(output.options.get())) files.push_back(std::move(file));
  }
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat at{};
    char path[PATH_MAX];
    if (::fstat(fd, &at) != 0 || !S_ISREG(at.st_mode)) continue;
    const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
    if (size > 0) files.emplace_back(path, static_cast<std::size_t>(size));
  }
  return files;
}

std::uint64_t machine_id() {
  std::string id;
  std::ifstream("/etc/machine-id") >> id;
  if (id.empty()) {
    char name[HOST_NAME_MAX + 1] = {};
    ::gethostname(name, sizeof name - 1);
    id = name;
  }
  return hash64(id);
}

}  // namespace logweir
