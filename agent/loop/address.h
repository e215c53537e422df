// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <string>

namespace logweir {

// Value. A socket address of any family.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] int port() const;  // 0 when the family has none
};

// "127.0.0.1:5170", "[::1]:9", a unix path, or "unix" for a socket without one.
std::string to_text(const Address& address);
Address own_address(int socket);
Address peer_address(int socket);
// Who is at the other end; of an unnamed unix socket the path that it connected to.
std::string peer_name(int socket);

// "127.0.0.1:80", "[::1]:80": as the user wrote it.
std::string host_and_port(const std::string& host, int port);

}  // namespace logweir
