// SPDX-License-Identifier: Apache-2.0
#include "app/admin_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "app/cli_text.h"
#include "base/fd.h"

namespace logweir {

namespace {

constexpr std::size_t kMostAnswer = 16 << 20;
constexpr std::size_t kMostSaid = 200;  // bytes of a refusal that are shown

// Waits for `events`; false when the time is over.
bool wait_for(int fd, short events, Nanos deadline) {
  const Nanos left = deadline - SystemClock().mono();
  if (left <= 0) return false;
  pollfd one{fd, events, 0};
  const int ready = ::poll(&one, 1, static_cast<int>(left / kMillisecond) + 1);
  return ready > 0 || (ready < 0 && errno == EINTR);
}

// 0, or what went wrong.
int connect_to(const addrinfo& address, Fd& peer, Nanos deadline) {
  peer = Fd(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!peer) return errno;
  if (::connect(peer.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!wait_for(peer.get(), POLLOUT, deadline)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(peer.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

Result<Fd> dial(const AdminUrl& url, Nanos deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int bad = ::getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found); bad != 0) {
    return Status(Code::unavailable, fmt::format("{} is not known: {}", url.host, ::gai_strerror(bad)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  int error = 0;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    Fd peer;
    error = connect_to(*address, peer, deadline);
    if (error == 0) return peer;
  }
  return Status(Code::unavailable,
                fmt::format("nothing answers at {} port {} ({}); is an agent running, with http_server on and this "
                            "http_port?",
                            url.host, url.port, std::strerror(error)));
}

// False: the connection broke, or the time is over.
bool send_all(int peer, std::string_view text, Nanos deadline) {
  while (!text.empty()) {
    const ssize_t sent = ::send(peer, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN || !wait_for(peer, POLLOUT, deadline)) {
      return false;
    }
  }
  return true;
}

bool read_all(int peer, std::string& answer, Nanos deadline) {
  char part[16384];
  for (;;) {
    const ssize_t got = ::recv(peer, part, sizeof part, 0);
    if (got == 0) return true;
    if (got > 0) {
      answer.append(part, static_cast<std::size_t>(got));
      if (answer.size() > kMostAnswer) return false;
    } else if (errno != EAGAIN || !wait_for(peer, POLLIN, deadline)) {
      return false;
    }
  }
}

Result<std::string> body_of(std::string answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  if (answer.rfind("HTTP/1.", 0) != 0 || end == std::string::npos || answer.size() < 12) {
    return Status(Code::invalid, "what answers there does not speak HTTP");
  }
  const std::string status = answer.substr(9, 3);
  answer.erase(0, end + 4);
  if (status == "200") return answer;
  return Status(Code::invalid,
                fmt::format("the agent answers {}: {}", tame(status), tame(answer.substr(0, kMostSaid))));
}

}  // namespace

Result<AdminUrl> parse_admin_url(const std::string& url) {
  const auto bad = [&] {
    return Status(Code::invalid,
                  fmt::format("'{}' is no address of an agent; it is written as http://127.0.0.1:2020", tame(url)));
  };
  constexpr std::string_view kScheme = "http://";
  if (url.rfind(kScheme, 0) != 0) return bad();
  std::string rest = url.substr(kScheme.size());
  if (!rest.empty() && rest.back() == '/') rest.pop_back();
  AdminUrl result;
  const std::size_t closing = rest.find(']');
  const std::size_t colon = rest.find(':', closing == std::string::npos ? 0 : closing);
  result.host = rest.substr(0, colon);
  if (colon != std::string::npos) result.port = rest.substr(colon + 1);
  if (result.host.size() > 2 && result.host.front() == '[' && result.host.back() == ']') {
    result.host = result.host.substr(1, result.host.size() - 2);
  }
  const bool digits = !result.port.empty() && result.port.size() < 6 &&
                      std::all_of(result.port.begin(), result.port.end(), [](char c) { return c >= '0' && c <= '9'; });
  const bool clean = std::none_of(result.host.begin(), result.host.end(),
                                  [](char c) { return c <= ' ' || c == '/' || c == '@' || c == '?' || c == 127; });
  if (result.host.empty() || !digits || !clean) return bad();
  return result;
}

Result<std::string> fetch_admin(const AdminUrl& url, const std::string& target, Nanos patience) {
  const Nanos deadline = SystemClock().mono() + patience;
  auto peer = dial(url, deadline);
  if (!peer.ok()) return peer.status();
  const std::string request =
      "GET " + target + " HTTP/1.1\r\nHost: " + url.host + ":" + url.port + "\r\nConnection: close\r\n\r\n";
  std::string answer;
  if (!send_all(peer.value().get(), request, deadline) || !read_all(peer.value().get(), answer, deadline)) {
    return Status(Code::unavailable, fmt::format("the agent at {} port {} did not answer in time", url.host, url.port));
  }
  return body_of(std::move(answer));
}

}  // namespace logweir
