// SPDX-License-Identifier: Apache-2.0
#include "base/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/fd.h"

namespace logweir {

namespace {

Status make_directory(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return {};
  const int error = errno;
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return {};
    return Status(Code::io, "make directory " + path + ": there is something else of that name");
  }
  return Status::from_errno(error, "make directory " + path);
}

}  // namespace

Status make_directories(const std::string& path, mode_t mode) {
  for (std::size_t at = 1; at < path.size(); ++at) {
    if (path[at] != '/' || path[at - 1] == '/') continue;
    if (Status made = make_directory(path.substr(0, at), mode); !made.ok()) return made;
  }
  return make_directory(path, mode);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Status::from_errno(errno, "open " + path);
  std::string text;
  char part[8192];
  while (true) {
    const ssize_t got = ::read(file.get(), part, sizeof part);
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status::from_errno(errno, "read " + path);
    text.append(part, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) {
      return Status(Code::full,
                    "read " + path + ": it is larger than the " + std::to_string(max_bytes) + " bytes allowed");
    }
  }
}

Result<std::vector<std::string>> list_directory(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (!directory) return Status::from_errno(errno, "list " + path);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) return Status::from_errno(errno, "list " + path);
  return names;
}

Status rename_durably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return Status::from_errno(errno, "rename " + from + " to " + to);
  return sync_directory(directory_of(to));
}

Status sync_directory(const std::string& path) {
  const Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return Status::from_errno(errno, "open " + path);
  // Some file systems know no sync of a directory; there is nothing to be done about those.
  if (::fsync(directory.get()) != 0 && errno != EINVAL) return Status::from_errno(errno, "sync " + path);
  return {};
}

std::string directory_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace logweir
