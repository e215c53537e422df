// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "loop/loop.h"
#include "loop/stream.h"

namespace logweir {

// Resource. One attempt to connect: looks the host up (asynchronously, fresh each time), tries its addresses in turn,
// sets TCP_NODELAY. Given up by its destructor. `done` is called once, never inside `start`.
class Dial {
 public:
  Dial(Loop& loop, std::string host, int port, Nanos timeout, std::function<void(Result<std::unique_ptr<Stream>>)> done);
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;
  ~Dial();

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace logweir
