// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "loop/loop.h"
#include "loop/stream.h"

namespace logweir {

// Resource. One attempt to connect: looks the host up (asynchronously, fresh each time; an address needs no look-up),
// tries its addresses in turn, each with its share of the time that is left. Given up by its destructor. `done` is
// called once, never inside the constructor, and may destroy the Dial.
class Dial {
 public:
  Dial(Loop& loop, std::string host, int port, Nanos timeout,
       std::function<void(Result<std::unique_ptr<Stream>>)> done);
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;
  ~Dial();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with a look-up that libuv's threads may still be doing
};

}  // namespace logweir
