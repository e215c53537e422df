// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"
#include "loop/loop.h"

namespace logweir {

// Interface. Who reads from a Stream. Calls come on the loop's thread; any of them may destroy the Stream.
class StreamReader {
 public:
  virtual ~StreamReader() = default;
  // Where the next bytes go (pooled memory). {nullptr, 0} when there is no room: reading stops until `resume`.
  virtual std::span<char> space() = 0;
  // `size` bytes are at the start of what `space` gave last.
  virtual void received(std::size_t size) = 0;
  // Nothing more will come. Ok: the peer closed its side in order.
  virtual void ended(Status why) = 0;
};

// Resource. A connected stream socket (TCP or unix). Closed by its destructor. It keeps no bytes: what `try_write` did
// not take stays with the caller.
class Stream {
 public:
  // Takes over a connected socket (`fd` is owned by the stream from here on, also when this fails). Sets TCP_NODELAY.
  static Result<std::unique_ptr<Stream>> adopt(Loop& loop, int fd);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  // Starts, or goes on after `space` was refused (then with the same reader). The reader outlives the stream or
  // `read_stop`. A stream that only writes reads too, to learn that the peer has closed or reset: without a read
  // neither is seen until a write fails. Reads in bounded pieces per turn, never inside this call.
  void read(StreamReader& reader);
  void resume();     // after `space` had no room
  void read_stop();  // back-pressure: the kernel's buffer fills, the peer waits
  // Writes what fits into the kernel's buffer now, in order. The number of bytes taken (0 when full), or why it broke.
  // Any number of pieces; empty ones are fine.
  Result<std::size_t> try_write(std::span<const iovec> pieces);
  // Calls once, later, when the socket can take more (after try_write took less than all), or breaks. One at a time.
  void when_writable(std::function<void(Status)> heard);
  void shutdown_write();  // FIN, after what was written
  [[nodiscard]] int fd() const;
  [[nodiscard]] const std::string& peer() const;  // "127.0.0.1:5170", "[::1]:9", or a unix path

 private:
  struct Impl;
  explicit Stream(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;  // shared with its own callbacks alone, one of which may destroy the Stream
};

}  // namespace logweir
