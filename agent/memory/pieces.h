// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "memory/pool.h"

namespace logweir {

// Resource. A list of byte ranges on their way out, ready for writev: either copied into pooled chunks it owns, or
// referred to in place (somebody else, as a rule the lane, keeps those bytes alive until they are consumed).
// Neighbouring ranges merge into one iovec. One thread.
class Pieces {
 public:
  explicit Pieces(Pool& pool) : pool_(pool) {}

  // `bytes` of contiguous writable space, or nullptr when the pool has none. Valid until the next call.
  [[nodiscard]] char* reserve(std::size_t bytes);
  // How much `reserve` can give without another chunk.
  [[nodiscard]] std::size_t room() const { return chunks_.empty() ? 0 : chunks_.back()->room(); }
  // The first `bytes` of what was reserved now belong to the list.
  void commit(std::size_t bytes);
  // Copies; false when the pool has no room.
  [[nodiscard]] bool append(std::string_view bytes);
  // Puts a range into the list without copying it.
  void refer(std::string_view bytes);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // What is left to write, at most `most` entries.
  [[nodiscard]] std::span<const iovec> front(std::size_t most = 1024) const;
  // The first `bytes` were written. Chunks that hold nothing more go home (one is kept for what comes next).
  void consume(std::size_t bytes);
  void clear();

 private:
  void add(char* data, std::size_t bytes);
  Pool& pool_;
  std::vector<iovec> iov_;
  std::size_t first_ = 0;  // of iov_, not yet written
  std::size_t size_ = 0;
  std::vector<ChunkRef> chunks_;  // the last one is being filled
};

}  // namespace logweir
