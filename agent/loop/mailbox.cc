// SPDX-License-Identifier: Apache-2.0
#include "loop/mailbox.h"

#include "base/check.h"
#include "loop/loop_impl.h"

namespace logweir {

struct Wakeup::Impl : Held<uv_async_t> {};

Wakeup::Wakeup(Loop& loop, std::function<void()> heard) : impl_(new Impl) {
  impl_->function = std::move(heard);
  const auto woken = [](uv_async_t* handle) { Impl::of(handle).call(); };
  LW_CHECK(uv_async_init(loop.impl().uv.get(), &impl_->handle, woken) == 0);
}

Wakeup::~Wakeup() { impl_->close(); }
void Wakeup::ring() { uv_async_send(&impl_->handle); }

}  // namespace logweir
