// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "loop/stream.h"
#include "plugins/inputs/tcp/framer.h"

namespace logweir::tcp_in {

// Resource. One connected sender: a source that can't be read again.
class Connection final : private StreamReader {
 public:
  struct Setup {
    Loop& loop;
    ChunkRef& reading;  // the input's: only one connection reads at a time
    Nanos idle_timeout = 0;
    std::function<void(Connection&, std::string_view why)> ended;  // may destroy the connection
  };
  Connection(Setup setup, Framer::Setup framing, std::unique_ptr<Stream> stream);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void pause();
  void resume();
  // The agent stops: takes what the kernel has, within bounds, then delivers an unfinished message.
  void drain(bool read_on);

  [[nodiscard]] Source source() const { return source_; }
  [[nodiscard]] const std::string& peer() const { return stream_->peer(); }
  std::size_t index = 0;  // the owner's

 private:
  std::span<char> space() override { return framer_.space(setup_.reading); }
  void received(std::size_t size) override;
  void ended(Status why) override;
  void idle();

  Setup setup_;
  Source source_;
  Framer framer_;
  std::unique_ptr<Stream> stream_;
  Timer idle_timer_;
  Nanos last_read_ = 0;
  bool paused_ = false;
};

}  // namespace logweir::tcp_in
