// SPDX-License-Identifier: Apache-2.0
#include "loop/listener.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/check.h"
#include "base/fd.h"
#include "loop/address.h"
#include "loop/poll.h"

namespace logweir {

namespace {

constexpr int kAcceptsPerTurn = 64;
constexpr Nanos kPauseWhenFull = 100 * kMillisecond;

Status refused(int error, const std::string& where) {
  const std::string what = "listen on " + where + ": ";
  switch (error) {
    case EADDRINUSE:
      return {Code::busy, what + "the port is in use; stop the process that has it or choose another port"};
    case EACCES:
      return {Code::denied, what + "permission denied; a port below 1024 needs root or CAP_NET_BIND_SERVICE"};
    case EADDRNOTAVAIL:
      return {Code::invalid, what + "this machine has no such address; use one of its own, or 0.0.0.0 for all"};
    default:
      return Status::from_errno(error, "listen on " + where);
  }
}

// No errno: 0.
int bind_and_listen(const addrinfo& address, const Listener::Options& options, Fd& out) {
  Fd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (options.shared && setsockopt(socket.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) return errno;
  if (::bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0) return errno;
  if (::listen(socket.get(), options.backlog) != 0) return errno;
  out = std::move(socket);
  return 0;
}

Result<Fd> open_socket(const Listener::Options& options) {
  const std::string where = host_and_port(options.host, options.port);
  if (options.port < 0 || options.port > 65535) {
    return Status(Code::invalid, "listen on " + where + ": a port is a number from 0 to 65535");
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failed = getaddrinfo(options.host.empty() ? nullptr : options.host.c_str(),
                                 std::to_string(options.port).c_str(), &hints, &list);
  if (failed != 0) {
    return Status(Code::invalid,
                  "listen on " + where + ": " + gai_strerror(failed) + "; give an address of this machine");
  }
  int error = EADDRNOTAVAIL;
  Fd socket;
  for (const addrinfo* each = list; each != nullptr && !socket; each = each->ai_next) {
    error = bind_and_listen(*each, options, socket);
  }
  freeaddrinfo(list);
  if (!socket) return refused(error, where);
  return socket;
}

}  // namespace

struct Listener::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& on, Fd listening)
      : loop(on),
        socket(std::move(listening)),
        poll(std::make_unique<Poll>(on, socket.get(),
                                    [this](unsigned, int) {
                                      const std::shared_ptr<Impl> alive = shared_from_this();
                                      accept_some();
                                    })),
        retry(on.timers(), [this] { update(); }) {}

  void accept_some();
  void wait_for_room(int error);
  void update() {
    if (poll != nullptr) LW_CHECK(poll->watch(paused || retry.armed() ? 0U : Poll::kReadable).ok());
  }

  Loop& loop;
  Fd socket;
  std::unique_ptr<Poll> poll;  // none: the Listener is gone
  Timer retry;
  bool paused = false;
  std::string where;
  std::function<void(const Status&)> trouble;
  std::function<void(std::unique_ptr<Stream>)> accepted;
};

void Listener::Impl::accept_some() {
  for (int i = 0; i < kAcceptsPerTurn && poll != nullptr && !paused; ++i) {
    const int fd = ::accept4(socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      const int error = errno;
      if (error == EINTR || error == ECONNABORTED) continue;
      if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) wait_for_room(error);
      return;
    }
    auto stream = Stream::adopt(loop, fd);
    if (stream.ok()) accepted(std::move(stream).value());
  }
}

void Listener::Impl::wait_for_room(int error) {
  retry.arm(loop.now() + kPauseWhenFull);
  update();
  if (trouble) trouble(Status::from_errno(error, "accept a connection on " + where));
}

Result<std::unique_ptr<Listener>> Listener::open(Loop& loop, const Options& options,
                                                 std::function<void(std::unique_ptr<Stream>)> accepted) {
  Result<Fd> socket = open_socket(options);
  if (!socket.ok()) return socket.status();
  auto impl = std::make_shared<Impl>(loop, std::move(socket).value());
  impl->where = host_and_port(options.host, options.port);
  impl->trouble = options.trouble;
  impl->accepted = std::move(accepted);
  impl->update();
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

Listener::~Listener() {
  impl_->poll.reset();
  impl_->retry.cancel();
  impl_->socket.reset();
}

void Listener::pause() {
  impl_->paused = true;
  impl_->update();
}

void Listener::resume() {
  impl_->paused = false;
  impl_->update();
}

int Listener::port() const { return own_address(impl_->socket.get()).port(); }

}  // namespace logweir
