// SPDX-License-Identifier: Apache-2.0
#include "loop/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>

namespace logweir {

int Address::port() const {
  if (storage.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
  if (storage.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port);
  return 0;
}

std::string to_text(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const sockaddr_storage& storage = address.storage;
  if (storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, text, sizeof text);
  } else if (storage.ss_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr, text, sizeof text);
  } else {
    const auto* path = reinterpret_cast<const sockaddr_un*>(&storage)->sun_path;
    const std::size_t before = offsetof(sockaddr_un, sun_path);
    if (address.size <= before || path[0] == '\0') return "unix";
    return {path, strnlen(path, address.size - before)};
  }
  return host_and_port(text, address.port());
}

Address own_address(int socket) {
  Address address;
  address.size = sizeof address.storage;
  if (getsockname(socket, address.get(), &address.size) != 0) address.size = 0;
  return address;
}

Address peer_address(int socket) {
  Address address;
  address.size = sizeof address.storage;
  if (getpeername(socket, address.get(), &address.size) != 0) address.size = 0;
  return address;
}

std::string peer_name(int socket) {
  std::string name = to_text(peer_address(socket));
  return name == "unix" ? to_text(own_address(socket)) : name;
}

std::string host_and_port(const std::string& host, int port) {
  const bool bare_v6 = host.find(':') != std::string::npos && host.front() != '[';
  return (bare_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace logweir
