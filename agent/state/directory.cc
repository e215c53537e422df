// SPDX-License-Identifier: Apache-2.0
#include "state/directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include "base/file_system.h"

namespace logweir {

namespace {

constexpr std::size_t kDamagedKept = 5;
constexpr const char* kCompanions[] = {"-wal", "-shm"};  // the log, and what other programs' connections leave

std::string lock_path(const std::string& directory) { return directory + "/lock"; }

// The holder's pid, as far as the file tells: its content may be anything.
std::string holder(const Fd& lock) {
  char text[16] = {};
  const ssize_t got = ::pread(lock.get(), text, sizeof text, 0);
  unsigned pid = 0;
  const auto parsed = std::from_chars(text, text + std::max<ssize_t>(got, 0), pid);
  return parsed.ec == std::errc() && pid != 0 ? "pid " + std::to_string(pid) : "its pid is not known";
}

// Numbers N of the files <path>.damaged-N, ascending.
Result<std::vector<unsigned>> damaged_numbers(const std::string& path) {
  auto names = list_directory(directory_of(path));
  if (!names.ok()) return names.status();
  const std::string prefix = path.substr(path.rfind('/') + 1) + ".damaged-";
  std::vector<unsigned> numbers;
  for (const std::string& name : names.value()) {
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    unsigned number = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + prefix.size(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

Result<Fd> lock_directory(const std::string& directory) {
  const std::string path = lock_path(directory);
  Fd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return Status::from_errno(errno, "open " + path);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Status::from_errno(errno, "lock " + path);
    return Status(Code::busy, "the state directory " + directory + " is in use by another logweir (" + holder(lock) +
                                  "): give each its own service.state_dir");
  }
  // For people only; on a full disk it stays empty.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock.get(), 0) == 0) (void)!::pwrite(lock.get(), pid.data(), pid.size(), 0);
  return lock;
}

bool lock_stands(const Fd& lock, const std::string& directory) {
  struct stat held{};
  struct stat named{};
  return lock && ::fstat(lock.get(), &held) == 0 && ::stat(lock_path(directory).c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

Result<std::string> move_aside(const std::string& path) {
  auto numbers = damaged_numbers(path);
  if (!numbers.ok()) return numbers.status();
  std::vector<unsigned>& earlier = numbers.value();
  const auto aside = [&path](unsigned number) { return path + ".damaged-" + std::to_string(number); };
  const std::string to = aside(earlier.empty() ? 1 : earlier.back() + 1);
  // The log first: should we die in between, state.db is looked at again and found damaged again.
  for (const char* companion : kCompanions) {
    if (::rename((path + companion).c_str(), (to + companion).c_str()) == 0 || errno == ENOENT) continue;
    return Status::from_errno(errno, "rename " + path + companion);
  }
  if (Status renamed = rename_durably(path, to); !renamed.ok()) return renamed;
  for (; earlier.size() >= kDamagedKept; earlier.erase(earlier.begin())) {
    const std::string oldest = aside(earlier.front());
    ::unlink(oldest.c_str());
    for (const char* companion : kCompanions) ::unlink((oldest + companion).c_str());
  }
  return to;
}

}  // namespace logweir
