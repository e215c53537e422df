// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace logweir {

// Runs `work` in a forked process and gives its wait status: WEXITSTATUS is what `work` returned. Only from a test
// that has no other threads at that moment.
template <typename Work>
int in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace logweir
