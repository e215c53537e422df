// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/stdout/channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>

namespace logweir::stdout_out {

namespace {

constexpr std::size_t kJobBytes = 64 * 1024;
constexpr int kJobPatienceMs = 100;  // a job thread serves others, too

Fd open_anew(int fd) {
  return Fd(open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

// Bytes are copied here, so that nothing of ours is looked at when the thread hangs in a write.
struct Channel::Helper {
  Channel* owner = nullptr;  // null: it is gone
  int fd = -1;
  std::string bytes;
  std::size_t written = 0;
  int error = 0;
  bool running = false;
  bool done = false;

  // A pipe that polls as writable takes PIPE_BUF bytes at once.
  void write_some() {
    while (written < bytes.size()) {
      pollfd wait{fd, POLLOUT, 0};
      if (poll(&wait, 1, kJobPatienceMs) <= 0) return;
      const ssize_t n = ::write(fd, bytes.data() + written, std::min<std::size_t>(bytes.size() - written, PIPE_BUF));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        error = errno;
        return;
      }
      written += static_cast<std::size_t>(n);
    }
  }
};

Channel::Way Channel::way_to(int fd) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return Way::direct;  // the write will say what is wrong
  if (S_ISSOCK(status.st_mode)) return Way::socket;
  if (S_ISFIFO(status.st_mode) || isatty(fd) == 1) return Way::own;
  return Way::direct;
}

Channel::Channel(Loop& loop, Jobs::Desk& jobs, int fd, bool may_open_anew)
    : jobs_(jobs),
      way_(way_to(fd)),
      own_(way_ == Way::own && may_open_anew ? open_anew(fd) : Fd()),
      fd_(own_ ? own_.get() : fd) {
  if (way_ == Way::own && !own_) way_ = Way::job;
  if (way_ == Way::job) {
    helper_ = std::make_shared<Helper>();
    helper_->owner = this;
    helper_->fd = fd;
    return;
  }
  if (way_ == Way::direct) return;
  poll_ = std::make_unique<Poll>(loop, fd_, [this](unsigned, int) {
    (void)poll_->watch(0);
    if (const auto heard = std::exchange(writable_, nullptr)) heard();
  });
}

Channel::~Channel() {
  if (helper_ != nullptr) helper_->owner = nullptr;
}

Result<std::size_t> Channel::try_write(std::span<const iovec> pieces) {
  return way_ == Way::job ? write_by_job(pieces) : write_now(pieces);
}

Result<std::size_t> Channel::write_now(std::span<const iovec> pieces) const {
  std::size_t written = 0;
  while (!pieces.empty()) {
    const auto now = pieces.first(std::min<std::size_t>(pieces.size(), IOV_MAX));
    ssize_t n = 0;
    if (way_ == Way::socket) {
      msghdr message{};
      message.msg_iov = const_cast<iovec*>(now.data());
      message.msg_iovlen = now.size();
      n = sendmsg(fd_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
      n = writev(fd_, now.data(), static_cast<int>(now.size()));
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN && way_ != Way::direct) break;
    if (n < 0 && written == 0) return Status::from_errno(errno, "write to stdout");
    if (n < 0) break;  // said again by the next write
    written += static_cast<std::size_t>(n);
    std::size_t offered = 0;
    for (const iovec& piece : now) offered += piece.iov_len;
    if (static_cast<std::size_t>(n) < offered) break;
    pieces = pieces.subspan(now.size());
  }
  return written;
}

// The first call hands a copy over and says "full"; the next one tells what became of it.
Result<std::size_t> Channel::write_by_job(std::span<const iovec> pieces) {
  Helper& helper = *helper_;
  if (helper.running) return std::size_t{0};
  if (std::exchange(helper.done, false)) {
    if (helper.error != 0 && helper.written == 0) {
      return Status::from_errno(std::exchange(helper.error, 0), "write to stdout");
    }
    return std::exchange(helper.written, 0);
  }
  helper.bytes.clear();
  for (const iovec& piece : pieces) {
    const std::size_t size = std::min(piece.iov_len, kJobBytes - helper.bytes.size());
    helper.bytes.append(static_cast<const char*>(piece.iov_base), size);
  }
  helper.written = 0;
  helper.error = 0;
  helper.running = true;
  jobs_.run([helper = helper_] { helper->write_some(); },
            [helper = helper_] {
              helper->running = false;
              helper->done = true;
              if (helper->owner == nullptr) return;
              if (const auto heard = std::exchange(helper->owner->writable_, nullptr)) heard();
            });
  return std::size_t{0};
}

void Channel::when_writable(std::function<void()> heard) {
  writable_ = std::move(heard);
  if (poll_ != nullptr) (void)poll_->watch(Poll::kWritable);
}

}  // namespace logweir::stdout_out
