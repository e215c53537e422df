// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include "loop/loop.h"

namespace logweir {

// Resource. Hears process signals on a loop. SIGPIPE is ignored from the first Signals on.
class Signals {
 public:
  Signals(Loop& loop, std::initializer_list<int> numbers, std::function<void(int)> heard);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace logweir
