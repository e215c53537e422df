// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// Plain blocking loopback sockets for the tools of the benchmark. Any failure ends the tool.
namespace bench {

inline int must(int result, const char* what) {
  if (result < 0) {
    std::perror(what);
    std::exit(1);
  }
  return result;
}

inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline int dial(int port) {
  const int fd = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
  const sockaddr_in address = loopback(port);
  must(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  return fd;
}

inline int listen_at(int port) {
  const int fd = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
  const int on = 1;
  must(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "setsockopt");
  const sockaddr_in address = loopback(port);
  must(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
  must(listen(fd, 64), "listen");
  return fd;
}

// The next connection that sends something; those that only look whether somebody listens are let go.
inline int accept_speaker(int listener) {
  for (;;) {
    const int fd = must(accept(listener, nullptr, nullptr), "accept");
    char one;
    if (recv(fd, &one, 1, MSG_PEEK) > 0) return fd;
    close(fd);
  }
}

inline void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(fd, bytes.data(), bytes.size());
    must(static_cast<int>(done < 0 ? -1 : 0), "write");
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

// "tcp:PORT" as its port, else 0.
inline int port_of(std::string_view text) {
  return text.starts_with("tcp:") ? std::atoi(std::string(text.substr(4)).c_str()) : 0;
}

}  // namespace bench
