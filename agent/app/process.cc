// SPDX-License-Identifier: Apache-2.0
#include "app/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace logweir {

namespace {
constexpr rlim_t kEnoughFiles = 1 << 20;
}

void fill_standard_descriptors() {
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::dup(fd);  // the lowest free number, as open would give
  if (fd >= 0) ::close(fd);
}

void widen_limits() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = std::max(files.rlim_cur, std::min(files.rlim_max, kEnoughFiles));
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

Status go_background() {
  const pid_t child = ::fork();
  if (child < 0) return Status::from_errno(errno, "can't go into the background");
  if (child > 0) ::_exit(0);
  ::setsid();
  const int null = ::open("/dev/null", O_RDWR);
  if (null < 0) return Status::from_errno(errno, "can't open /dev/null");
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  if (null > STDERR_FILENO) ::close(null);
  return {};
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == 0) return "localhost";
  return name;
}

}  // namespace logweir
