// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "loop/loop.h"
#include "loop/stream.h"

namespace logweir {

// Resource. A listening TCP socket (own socket, SO_REUSEADDR, SO_REUSEPORT when `shared`, so that each worker opens
// one). IPv4 and IPv6 addresses and host names that resolve at once. When the process has no descriptor left it waits
// a moment, the connection staying in the backlog.
class Listener {
 public:
  struct Options {
    std::string host = "127.0.0.1";
    int port = 0;  // 0: the kernel picks, see port()
    int backlog = 1024;
    bool shared = false;
    std::function<void(const Status&)> trouble =
        nullptr;  // optional: hears that accepting had to wait (limit your logging)
  };
  // `accepted` may destroy the Listener. The failure's sentence names address and port and what to do (in use,
  // privileged, not an address of this machine).
  static Result<std::unique_ptr<Listener>> open(Loop& loop, const Options& options,
                                                std::function<void(std::unique_ptr<Stream>)> accepted);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();
  void pause();  // stop accepting: connections wait in the backlog
  void resume();
  [[nodiscard]] int port() const;

 private:
  struct Impl;
  explicit Listener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;  // shared with its own callback alone, which may destroy the Listener
};

}  // namespace logweir
