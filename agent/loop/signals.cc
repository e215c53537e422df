// SPDX-License-Identifier: Apache-2.0
#include "loop/signals.h"

#include <csignal>
#include <utility>
#include <vector>

#include "base/check.h"
#include "loop/loop_impl.h"

namespace logweir {

struct Signals::Impl {
  std::vector<Held<uv_signal_t, int>*> handles;
  std::function<void(int)> heard;
};

Signals::Signals(Loop& loop, std::initializer_list<int> numbers, std::function<void(int)> heard) : impl_(new Impl) {
  std::signal(SIGPIPE, SIG_IGN);
  impl_->heard = std::move(heard);
  for (const int number : numbers) {
    auto* held = new Held<uv_signal_t, int>;
    impl_->handles.push_back(held);
    held->function = [impl = impl_](int which) { impl->heard(which); };
    uv_signal_init(loop.impl().uv.get(), &held->handle);
    const int error = uv_signal_start(
        &held->handle, [](uv_signal_t* handle, int which) { Held<uv_signal_t, int>::of(handle).call(which); }, number);
    LW_CHECK(error == 0);
  }
}

Signals::~Signals() {
  for (auto* held : impl_->handles) held->close();
  delete impl_;
}

}  // namespace logweir
