// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/status.h"
#include "loop/loop.h"

namespace logweir {

// Value. What a service manager (systemd) told us in the environment.
struct NotifyPlace {
  std::string socket;  // NOTIFY_SOCKET: a path, or "@name" for an abstract one; empty: nobody listens
  Nanos watchdog = 0;  // WATCHDOG_USEC, when it is meant for this process; 0: none
};
NotifyPlace notify_place();

// Resource. Tells a service manager what becomes of us: datagrams to its socket, as sd_notify(3) sends them. A manager
// that does not listen costs at most a moment and changes nothing. Any one thread at a time.
class Notify {
 public:
  Notify() = default;  // tells nobody

  // Connects to the place; `invalid` when that is no socket's name, else what connecting said.
  static Result<Notify> open(const std::string& socket);

  // Sends "KEY=value" lines. False when the manager did not take it.
  bool tell(std::string_view lines) const;

 private:
  explicit Notify(Fd socket) : socket_(std::move(socket)) {}
  Fd socket_;
};

// Resource, on the control loop. The steps of a service's life; while the loop turns, the watchdog is fed at half its
// time. The loop outlives it.
class Heartbeat {
 public:
  Heartbeat(Loop& loop, Notify notify, Nanos watchdog);

  void ready(std::string_view status);  // started, or a reload is over: READY=1 and STATUS, one line
  void reloading();
  void stopping(std::string_view status);

 private:
  void beat();

  Loop& loop_;
  Notify notify_;
  Nanos interval_;  // 0: no watchdog
  Timer timer_;
};

}  // namespace logweir
