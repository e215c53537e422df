// SPDX-License-Identifier: Apache-2.0
#include "app/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
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

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == 0) return "localhost";
  return name;
}

}  // namespace logweir
