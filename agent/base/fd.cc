// SPDX-License-Identifier: Apache-2.0
#include "base/fd.h"

#include <unistd.h>

namespace logweir {

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace logweir
