// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "loop/stream.h"

namespace logweir {

// Connects to a port of 127.0.0.1; blocking, as a simple peer is. Invalid when refused.
inline Fd connect_to(int port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{5, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  return fd;
}

// All of it; the peer takes it.
inline void say(const Fd& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// What has come by now, without waiting.
inline std::string hear_now(const Fd& fd) {
  std::string all;
  char buffer[65536];
  for (ssize_t got; (got = ::recv(fd.get(), buffer, sizeof buffer, MSG_DONTWAIT)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(got));
  }
  return all;
}

// Closes with a reset instead of a FIN.
inline void reset_connection(Fd& fd) {
  const linger now{1, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  fd.reset();
}

// Two connected sockets, unix or TCP.
struct SocketPair {
  Fd left;
  Fd right;
};
inline SocketPair unix_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
  return {Fd(ends[0]), Fd(ends[1])};
}
inline SocketPair tcp_pair() {
  const Fd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listening.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return {};
  ::listen(listening.get(), 1);
  ::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &size);
  SocketPair pair;
  pair.left = connect_to(ntohs(address.sin_port));
  pair.right = Fd(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return pair;
}

// A reader that keeps all it hears.
class Recorder final : public StreamReader {
 public:
  std::span<char> space() override { return has_room ? std::span<char>(buffer_) : std::span<char>(); }
  void received(std::size_t size) override {
    text.append(buffer_.data(), size);
    ++calls;
  }
  void ended(Status status) override {
    has_ended = true;
    why = std::move(status);
  }

  std::string text;
  int calls = 0;
  bool has_room = true;
  bool has_ended = false;
  Status why;

 private:
  std::vector<char> buffer_ = std::vector<char>(65536);
};

}  // namespace logweir
