// SPDX-License-Identifier: Apache-2.0
#include "app/notify.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace logweir {

namespace {

// What a full queue of the manager may cost us: a READY must not be lost for it, the loop must not stand for long.
constexpr timeval kPatience{0, 200'000};
constexpr Nanos kLongestWatchdog = 24 * 3600 * kSecond;

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<std::uint64_t> number_of(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A value that may come from anywhere, as one line.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return line;
}

}  // namespace

NotifyPlace notify_place() {
  NotifyPlace place{text_of("NOTIFY_SOCKET"), 0};
  const std::string pid = text_of("WATCHDOG_PID");  // a watchdog of our parent's is not ours
  const auto meant = number_of(pid);
  if (!pid.empty() && meant != static_cast<std::uint64_t>(::getpid())) return place;
  const std::uint64_t micros = number_of(text_of("WATCHDOG_USEC")).value_or(0);
  if (micros <= static_cast<std::uint64_t>(kLongestWatchdog / kMicrosecond)) {
    place.watchdog = static_cast<Nanos>(micros) * kMicrosecond;
  }
  return place;
}

Result<Notify> Notify::open(const std::string& socket) {
  if (socket.empty()) return Notify();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() < 2 || (socket[0] != '/' && socket[0] != '@') || socket.size() >= sizeof address.sun_path) {
    return Status(Code::invalid, "NOTIFY_SOCKET is '" + socket.substr(0, 120) +
                                     "'; it must be an absolute path or @ and a name, of at most 107 characters");
  }
  std::memcpy(address.sun_path, socket.data(), socket.size());
  if (socket[0] == '@') address.sun_path[0] = '\0';
  // A path ends with its zero, an abstract name is as long as it says.
  const std::size_t size = offsetof(sockaddr_un, sun_path) + socket.size() + (socket[0] == '/' ? 1 : 0);
  Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return Status::from_errno(errno, "a socket for NOTIFY_SOCKET");
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  // Once, while we still may: later we can be another user, or see less of the file system.
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size)) != 0) {
    return Status::from_errno(errno, "connect to NOTIFY_SOCKET " + socket);
  }
  return Notify(std::move(fd));
}

bool Notify::tell(std::string_view lines) const {
  if (!socket_) return true;
  ssize_t sent = 0;
  do {
    sent = ::send(socket_.get(), lines.data(), lines.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(lines.size());
}

Heartbeat::Heartbeat(Loop& loop, Notify notify, Nanos watchdog)
    : loop_(loop), notify_(std::move(notify)), interval_(watchdog / 2), timer_(loop.timers(), [this] { beat(); }) {}

void Heartbeat::ready(std::string_view status) {
  notify_.tell(fmt::format("READY=1\nSTATUS={}\n", one_line(status)));
  if (interval_ > 0 && !timer_.armed()) beat();
}

void Heartbeat::reloading() {
  notify_.tell(fmt::format("RELOADING=1\nMONOTONIC_USEC={}\nSTATUS=reloading\n", loop_.now() / kMicrosecond));
}

void Heartbeat::stopping(std::string_view status) {
  notify_.tell(fmt::format("STOPPING=1\nSTATUS={}\n", one_line(status)));
}

void Heartbeat::beat() {
  notify_.tell("WATCHDOG=1\n");
  timer_.arm(loop_.now() + interval_, interval_ / 8);
}

}  // namespace logweir
