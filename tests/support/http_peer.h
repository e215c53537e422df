// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/sockets.h"

namespace logweir {

// An HTTP server of raw sockets in a thread of its own: reads requests and does with each what the script says next; at
// the script's end its last entry again. One connection at a time, as one request is under way at a time.
class HttpPeer {
 public:
  struct Request {
    std::string head;
    std::string body;
    int connection = 0;  // from 1
    [[nodiscard]] std::string header(std::string_view name) const {
      for (std::size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at + 2)) {
        const std::string_view line = std::string_view(head).substr(at + 2);
        const bool same = line.size() > name.size() && line[name.size()] == ':' &&
                          std::equal(name.begin(), name.end(), line.begin(), [](unsigned char a, unsigned char b) {
                            return std::tolower(a) == std::tolower(b);
                          });
        if (same) return std::string(line.substr(name.size() + 2, line.find("\r\n") - name.size() - 2));
      }
      return {};
    }
  };
  // Answers on the socket; false: the connection ends. Looks at the request before its body is read when `early`.
  struct Step {
    std::function<bool(Fd&, const Request&)> act;
    bool early = false;
  };

  explicit HttpPeer(std::vector<Step> script, int port = 0, std::uint32_t address = INADDR_LOOPBACK)
      : script_(std::move(script)) {
    listen(port, address);
  }
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;
  ~HttpPeer() { stop(); }

  void stop() {
    if (stopping_.exchange(true)) return;
    ::shutdown(listening_.get(), SHUT_RDWR);
    {
      const std::lock_guard lock(mutex_);
      if (current_ >= 0) ::shutdown(current_, SHUT_RDWR);
    }
    thread_.join();
    listening_.reset();
  }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  static std::string answer(std::string_view status, std::string_view more = "", std::string_view body = "") {
    return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(more) + "\r\n" + std::string(body);
  }
  static Step say(std::string text, bool keep = true) {
    return {[text = std::move(text), keep](Fd& fd, const Request&) {
      logweir::say(fd, text);
      return keep;
    }};
  }
  static Step ok() { return say(answer("200 OK")); }

 private:
  void listen(int port, std::uint32_t host) {
    listening_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(host);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listening_.get(), 16) == 0);
    ::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }

  void run() {
    while (!stopping_) {
      Fd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd) continue;
      {
        const std::lock_guard lock(mutex_);
        current_ = fd.get();
      }
      ++connection_;
      rest_.clear();
      while (!stopping_ && serve(fd)) {
      }
      const std::lock_guard lock(mutex_);
      current_ = -1;
    }
  }

  // False at the connection's end.
  bool read_until(const Fd& fd, const std::function<bool()>& enough) {
    char buffer[65536];
    while (!enough()) {
      const ssize_t got = ::recv(fd.get(), buffer, sizeof buffer, 0);
      if (got <= 0) return false;
      rest_.append(buffer, static_cast<std::size_t>(got));
    }
    return true;
  }

  bool serve(Fd& fd) {
    std::size_t end = 0;
    if (!read_until(fd, [&] { return (end = rest_.find("\r\n\r\n")) != std::string::npos; })) return false;
    Request request{rest_.substr(0, end + 2), "", connection_};
    rest_.erase(0, end + 4);
    const Step& step = script_[std::min(at_++, script_.size() - 1)];
    if (!step.early) {
      const std::size_t size = std::stoul("0" + request.header("content-length"));
      if (!read_until(fd, [&] { return rest_.size() >= size; })) return false;
      request.body = rest_.substr(0, size);
      rest_.erase(0, size);
    }
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    return step.act(fd, request);
  }

  std::vector<Step> script_;
  std::size_t at_ = 0;
  Fd listening_;
  int port_ = 0;
  int connection_ = 0;
  int current_ = -1;
  std::string rest_;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::thread thread_;
};

}  // namespace logweir
