// SPDX-License-Identifier: Apache-2.0
#include "loop/dial.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "loop/address.h"
#include "loop/loop_impl.h"
#include "loop/poll.h"

namespace logweir {

namespace {

constexpr std::size_t kMostAddresses = 16;

addrinfo wanted(int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  return hints;
}

std::vector<Address> addresses_of(const addrinfo* list) {
  std::vector<Address> all;
  for (; list != nullptr && all.size() < kMostAddresses; list = list->ai_next) {
    Address address;
    if (list->ai_addrlen > sizeof address.storage) continue;
    std::memcpy(&address.storage, list->ai_addr, list->ai_addrlen);
    address.size = list->ai_addrlen;
    all.push_back(address);
  }
  return all;
}

// Dialling a port of this machine that nobody listens on can, once in some ten thousand times, meet itself: the kernel
// picks that very port for our end.
bool met_itself(int socket) {
  const Address own = own_address(socket);
  const Address peer = peer_address(socket);
  return own.size == peer.size && own.size != 0 && std::memcmp(&own.storage, &peer.storage, own.size) == 0;
}

}  // namespace

struct Dial::Impl : std::enable_shared_from_this<Impl> {
  Impl(Loop& on, std::string name, int number, Nanos timeout)
      : loop(on), host(std::move(name)), port(number), deadline(on.now() + timeout), timer(on.timers(), [this] {
          timed_out();
        }) {}

  struct LookUp {
    uv_getaddrinfo_t request{};
    std::shared_ptr<Impl> dial;
  };

  void start();
  void look_up(const std::string& service);
  void looked_up(int status, const addrinfo* list);
  void try_next();
  void connected_or_not(int error);
  void timed_out();
  void failed(Status why);
  void finish(Result<std::unique_ptr<Stream>> result);
  void release();
  [[nodiscard]] std::string where() const { return host_and_port(host, port); }

  Loop& loop;
  const std::string host;
  const int port;
  const Nanos deadline;
  std::function<void(Result<std::unique_ptr<Stream>>)> done;  // none: finished or given up
  LookUp* looking = nullptr;                                  // frees itself when libuv is through with it
  std::vector<Address> addresses;
  std::size_t next = 0;
  Status last;
  Fd socket;
  std::unique_ptr<Poll> poll;  // of socket; goes first
  Timer timer;
};

void Dial::Impl::start() {
  if (port <= 0 || port > 65535) {
    return failed({Code::invalid, "connect to " + where() + ": a port is a number from 1 to 65535"});
  }
  const std::string service = std::to_string(port);
  const addrinfo hints = wanted(AI_NUMERICHOST);
  addrinfo* list = nullptr;
  if (getaddrinfo(host.c_str(), service.c_str(), &hints, &list) != 0) return look_up(service);
  addresses = addresses_of(list);
  freeaddrinfo(list);
  try_next();
}

void Dial::Impl::look_up(const std::string& service) {
  timer.arm(deadline);
  looking = new LookUp;
  looking->dial = shared_from_this();
  looking->request.data = looking;
  const addrinfo hints = wanted(AI_ADDRCONFIG);
  const auto answered = [](uv_getaddrinfo_t* request, int status, addrinfo* list) {
    const std::unique_ptr<LookUp> look(static_cast<LookUp*>(request->data));
    const std::unique_ptr<addrinfo, decltype(&uv_freeaddrinfo)> owned(list, &uv_freeaddrinfo);
    look->dial->looking = nullptr;
    if (look->dial->done) look->dial->looked_up(status, list);
  };
  const int error =
      uv_getaddrinfo(loop.impl().uv.get(), &looking->request, answered, host.c_str(), service.c_str(), &hints);
  if (error != 0) {
    delete std::exchange(looking, nullptr);
    failed(uv_status(error, "look up " + host));
  }
}

void Dial::Impl::looked_up(int status, const addrinfo* list) {
  if (status != 0) return failed({Code::unavailable, "look up " + host + ": " + uv_strerror(status)});
  addresses = addresses_of(list);
  try_next();
}

void Dial::Impl::try_next() {
  poll.reset();
  socket.reset();
  timer.cancel();
  if (next == addresses.size()) {
    return failed(last.ok() ? Status(Code::unavailable, "look up " + host + ": it has no address") : last);
  }
  const auto left = static_cast<Nanos>(addresses.size() - next);
  const Nanos now = loop.now();
  const Address& address = addresses[next++];
  socket = Fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return failed(Status::from_errno(errno, "connect to " + where()));
  if (::connect(socket.get(), address.get(), address.size) != 0 && errno != EINPROGRESS) {
    return connected_or_not(errno);
  }
  poll = std::make_unique<Poll>(loop, socket.get(), [this](unsigned, int) {
    const std::shared_ptr<Impl> alive = shared_from_this();
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    connected_or_not(error);
  });
  if (Status status = poll->watch(Poll::kWritable); !status.ok()) return failed(std::move(status));
  timer.arm(now + (deadline - now) / left);
}

void Dial::Impl::connected_or_not(int error) {
  if (error == 0 && met_itself(socket.get())) error = ECONNREFUSED;
  if (error != 0) {
    last = Status::from_errno(error, "connect to " + where());
    if (last.code() != Code::denied) last = Status(Code::unavailable, last.message());
    return try_next();
  }
  poll.reset();
  finish(Stream::adopt(loop, socket.release()));
}

void Dial::Impl::timed_out() {
  const std::shared_ptr<Impl> alive = shared_from_this();
  last = Status(Code::unavailable, (looking != nullptr ? "look up " + host : "connect to " + where()) +
                                       ": no answer within the time allowed");
  if (looking != nullptr) return failed(last);
  try_next();
}

void Dial::Impl::failed(Status why) { finish(std::move(why)); }

// Not inside the caller: the constructor may be below.
void Dial::Impl::finish(Result<std::unique_ptr<Stream>> result) {
  auto tell = [self = shared_from_this(), kept = std::make_shared<Result<std::unique_ptr<Stream>>>(std::move(result))] {
    if (const auto heard = std::exchange(self->done, nullptr)) heard(std::move(*kept));
  };
  release();
  loop.post(std::move(tell));
}

void Dial::Impl::release() {
  poll.reset();
  socket.reset();
  timer.cancel();
  if (looking != nullptr) uv_cancel(reinterpret_cast<uv_req_t*>(&looking->request));
}

Dial::Dial(Loop& loop, std::string host, int port, Nanos timeout,
           std::function<void(Result<std::unique_ptr<Stream>>)> done)
    : impl_(std::make_shared<Impl>(loop, std::move(host), port, timeout)) {
  impl_->done = std::move(done);
  impl_->start();
}

Dial::~Dial() {
  impl_->done = nullptr;
  impl_->release();
}

}  // namespace logweir
