// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "base/fd.h"
#include "base/status.h"
#include "loop/jobs.h"
#include "loop/poll.h"

namespace logweir::stdout_out {

// Resource. Writes to a descriptor that others share (our stdout) without ever waiting on it, and without making it
// non-blocking for the others:
//   - a plain file, a device: written directly;
//   - a socket: MSG_DONTWAIT;
//   - a pipe, a terminal: opened anew through /proc/self/fd, so that O_NONBLOCK is ours alone;
//   - one that can't be opened anew (a pipe of another user): by a job thread, in small writes.
class Channel {
 public:
  // `fd` outlives this. `may_open_anew` false: as if that had failed.
  Channel(Loop& loop, Jobs::Desk& jobs, int fd, bool may_open_anew = true);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  // How many bytes were written; less than all: full, call `when_writable` and then offer the same bytes again.
  Result<std::size_t> try_write(std::span<const iovec> pieces);
  void when_writable(std::function<void()> heard);

 private:
  enum class Way : unsigned char { direct, socket, own, job };
  struct Helper;

  static Way way_to(int fd);
  Result<std::size_t> write_now(std::span<const iovec> pieces) const;
  Result<std::size_t> write_by_job(std::span<const iovec> pieces);

  Jobs::Desk& jobs_;
  Way way_;
  Fd own_;
  const int fd_;                    // own_, or the shared one
  std::unique_ptr<Poll> poll_;      // of fd_; goes first
  std::shared_ptr<Helper> helper_;  // shared with the job thread, which may outlive this
  std::function<void()> writable_;
};

}  // namespace logweir::stdout_out
