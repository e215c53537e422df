// SPDX-License-Identifier: Apache-2.0
#include "config/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"
#include "config/raw.h"

namespace logweir {

Result<TextFile> read_text_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Status::from_errno(errno, fmt::format("can't read {}", path));
  struct stat about{};
  if (::fstat(fd.get(), &about) != 0) return Status::from_errno(errno, fmt::format("can't read {}", path));
  TextFile out;
  out.identity = {about.st_dev, about.st_ino};
  constexpr std::size_t kStep = 64 << 10;
  while (out.text.size() <= kMostConfBytes) {
    const std::size_t had = out.text.size();
    out.text.resize(had + kStep);
    const ssize_t got = ::read(fd.get(), out.text.data() + had, kStep);
    const int error = errno;
    out.text.resize(had + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0 && error == EINTR) continue;
    if (got < 0) return Status::from_errno(error, fmt::format("can't read {}", path));
    if (got == 0) {
      if (out.text.starts_with("\xef\xbb\xbf")) out.text.erase(0, 3);
      return out;
    }
  }
  return Status(Code::full, fmt::format("{} is larger than {} MiB, too large for a conf", path, kMostConfBytes >> 20));
}

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

namespace {

std::vector<std::string> matches(const std::string& path) {
  std::vector<std::string> out;
  if (!is_pattern(path)) {
    if (::access(path.c_str(), F_OK) == 0) out.push_back(path);
    return out;
  }
  glob_t found{};
  if (::glob(path.c_str(), 0, nullptr, &found) == 0) {
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return out;
}

}  // namespace

std::vector<std::string> locate(const std::string& path, const std::vector<std::string>& folders) {
  if (path.starts_with('/')) return matches(path);
  for (const std::string& folder : folders) {
    std::vector<std::string> found = matches(folder == "." ? path : fmt::format("{}/{}", folder, path));
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace logweir
