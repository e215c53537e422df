// SPDX-License-Identifier: Apache-2.0
#include "loop/poll.h"

#include <utility>

#include "loop/loop_impl.h"

namespace logweir {

static_assert(int{Poll::kReadable} == int{UV_READABLE} && int{Poll::kWritable} == int{UV_WRITABLE});

struct Poll::Impl : Held<uv_poll_t, unsigned, int> {
  int made = 0;  // libuv refuses a descriptor that can't be polled (a plain file)
  unsigned events = 0;
};

Poll::Poll(Loop& loop, int fd, std::function<void(unsigned events, int error)> ready) : impl_(new Impl) {
  impl_->function = std::move(ready);
  impl_->made = uv_poll_init(loop.impl().uv.get(), &impl_->handle, fd);
}

Poll::~Poll() {
  if (impl_->made == 0) {
    impl_->close();
  } else {
    delete impl_;
  }
}

Status Poll::watch(unsigned events) {
  if (impl_->made != 0) return uv_status(impl_->made, "wait for a descriptor");
  if (events == impl_->events) return {};
  const auto ready = [](uv_poll_t* handle, int status, int what) {
    auto& self = static_cast<Impl&>(Impl::of(handle));
    if (status != 0) self.events = 0;  // libuv has stopped watching
    self.call(static_cast<unsigned>(what), -status);
  };
  const int error = uv_poll_start(&impl_->handle, static_cast<int>(events), ready);
  if (error != 0) return uv_status(error, "wait for a descriptor");
  impl_->events = events;
  return {};
}

}  // namespace logweir
