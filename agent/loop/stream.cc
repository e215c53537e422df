// SPDX-License-Identifier: Apache-2.0
#include "loop/stream.h"

#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/fd.h"
#include "loop/address.h"
#include "loop/poll.h"

namespace logweir {

namespace {

constexpr std::size_t kReadPerTurn = 1 << 20;  // then the others have their turn
constexpr int kReadsPerTurn = 16;

Status make_nonblocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return Status::from_errno(errno, "adopt a socket");
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return {};
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

struct Stream::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& loop, Fd socket)
      : fd(std::move(socket)), poll(std::make_unique<Poll>(loop, fd.get(), [this](unsigned events, int error) {
          const std::shared_ptr<Impl> alive = shared_from_this();
          ready(events, error);
        })) {}

  void ready(unsigned events, int error);
  void read_some();
  void end(Status why);
  void tell_writer();
  void update();
  [[nodiscard]] Status failure(std::string_view doing, int error) const {
    return Status::from_errno(error, std::string(doing) + " " + peer);
  }

  Fd fd;
  std::unique_ptr<Poll> poll;  // before fd is closed; none: the Stream is gone
  std::string peer;
  StreamReader* reader = nullptr;
  bool reading = false;
  bool ended = false;
  bool inside = false;  // in `ready`, which updates once at its end
  int broken = 0;       // errno once the socket has failed
  std::function<void(Status)> writable;
};

// An error is not told at once: bytes that came before a reset are still there to be read.
void Stream::Impl::ready(unsigned events, int error) {
  inside = true;
  const bool readable = error != 0 || (events & Poll::kReadable) != 0;
  if (readable && reading) read_some();
  if (poll == nullptr) return;
  if (error != 0 && broken == 0 && !reading) {
    socklen_t size = sizeof broken;
    if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &broken, &size) != 0 || broken == 0) broken = EPIPE;
  }
  if (writable && (broken != 0 || (events & Poll::kWritable) != 0)) tell_writer();
  inside = false;
  if (poll != nullptr) update();
}

void Stream::Impl::tell_writer() {
  const auto heard = std::exchange(writable, nullptr);
  heard(broken != 0 ? failure("write to", broken) : Status());
}

void Stream::Impl::read_some() {
  std::size_t total = 0;
  for (int i = 0; i < kReadsPerTurn && total < kReadPerTurn; ++i) {
    const std::span<char> space = reader->space();
    if (poll == nullptr || !reading) return;
    if (space.empty()) {
      reading = false;
      return;
    }
    ssize_t got = 0;
    do {
      got = ::recv(fd.get(), space.data(), space.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && would_block(errno)) return;
    if (got < 0) {
      broken = errno;
      return end(failure("read from", broken));
    }
    if (got == 0) return end({});
    total += static_cast<std::size_t>(got);
    reader->received(static_cast<std::size_t>(got));
    if (poll == nullptr || !reading || static_cast<std::size_t>(got) < space.size()) return;
  }
}

void Stream::Impl::end(Status why) {
  ended = true;
  reading = false;
  reader->ended(std::move(why));
}

// A socket that passed `adopt` can be polled.
void Stream::Impl::update() {
  if (inside) return;
  const unsigned events = (reading ? Poll::kReadable : 0U) | (writable ? Poll::kWritable : 0U);
  LW_CHECK(poll->watch(events).ok());
}

Result<std::unique_ptr<Stream>> Stream::adopt(Loop& loop, int fd) {
  Fd socket(fd);
  if (Status status = make_nonblocking(fd); !status.ok()) return status;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // refused by a unix socket, which has no delay
  auto impl = std::make_shared<Impl>(loop, std::move(socket));
  impl->peer = peer_name(fd);
  if (Status status = impl->poll->watch(0); !status.ok()) return status;
  return std::unique_ptr<Stream>(new Stream(std::move(impl)));
}

Stream::~Stream() {
  impl_->reading = false;
  impl_->poll.reset();
  impl_->writable = nullptr;
  impl_->fd.reset();
}

void Stream::read(StreamReader& reader) {
  impl_->reader = &reader;
  resume();
}

void Stream::resume() {
  LW_CHECK(impl_->reader != nullptr);
  if (impl_->ended) return;
  impl_->reading = true;
  impl_->update();
}

void Stream::read_stop() {
  impl_->reading = false;
  impl_->update();
}

Result<std::size_t> Stream::try_write(std::span<const iovec> pieces) {
  std::size_t taken = 0;
  while (!pieces.empty()) {
    const auto now = pieces.first(std::min<std::size_t>(pieces.size(), IOV_MAX));
    std::size_t offered = 0;
    for (const iovec& piece : now) offered += piece.iov_len;
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(now.data());
    message.msg_iovlen = now.size();
    const ssize_t sent = ::sendmsg(impl_->fd.get(), &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && would_block(errno)) break;
    if (sent < 0) return impl_->failure("write to", errno);
    taken += static_cast<std::size_t>(sent);
    if (static_cast<std::size_t>(sent) < offered) break;
    pieces = pieces.subspan(now.size());
  }
  return taken;
}

void Stream::when_writable(std::function<void(Status)> heard) {
  LW_CHECK(!impl_->writable);
  impl_->writable = std::move(heard);
  impl_->update();
}

void Stream::shutdown_write() { ::shutdown(impl_->fd.get(), SHUT_WR); }
int Stream::fd() const { return impl_->fd.get(); }
const std::string& Stream::peer() const { return impl_->peer; }

}  // namespace logweir
