// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tcp/connection.h"

#include <sys/socket.h>

namespace logweir::tcp_in {

namespace {

constexpr std::size_t kDrainBytes = 4 << 20;

}  // namespace

Connection::Connection(Setup setup, Framer::Setup framing, std::unique_ptr<Stream> stream)
    : setup_(std::move(setup)),
      source_(framing.source),
      framer_(std::move(framing)),
      stream_(std::move(stream)),
      idle_timer_(setup_.loop.timers(), [this] { idle(); }),
      last_read_(setup_.loop.now()) {
  stream_->read(*this);
  if (setup_.idle_timeout > 0) idle_timer_.arm(last_read_ + setup_.idle_timeout, setup_.idle_timeout / 8);
}

void Connection::pause() {
  paused_ = true;
  stream_->read_stop();
}

void Connection::resume() {
  paused_ = false;
  last_read_ = setup_.loop.now();  // the silence was ours
  stream_->read(*this);
}

void Connection::received(std::size_t size) {
  if (setup_.idle_timeout > 0) last_read_ = setup_.loop.now();
  framer_.received(size, setup_.reading);
  setup_.reading.reset();
}

void Connection::ended(Status why) {
  framer_.finish(why.ok());
  setup_.ended(*this, why.ok() ? "the peer closed it" : why.message());
}

void Connection::idle() {
  const Nanos now = setup_.loop.now();
  if (!paused_ && now >= last_read_ + setup_.idle_timeout) {
    framer_.finish(true);
    setup_.ended(*this, "it was idle");
    return;
  }
  idle_timer_.arm((paused_ ? now : last_read_) + setup_.idle_timeout, setup_.idle_timeout / 8);
}

void Connection::drain(bool read_on) {
  stream_->read_stop();
  bool whole = false;
  for (std::size_t total = 0; read_on && total < kDrainBytes;) {
    const std::span<char> to = space();
    if (to.empty()) break;
    const ssize_t got = recv(stream_->fd(), to.data(), to.size(), MSG_DONTWAIT);
    whole = got == 0;
    if (got <= 0) break;
    total += static_cast<std::size_t>(got);
    framer_.received(static_cast<std::size_t>(got), setup_.reading);
    read_on = !paused_;
  }
  setup_.reading.reset();
  framer_.finish(whole);
}

}  // namespace logweir::tcp_in
