// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "memory/account.h"
#include "memory/chunk.h"

namespace logweir {

// Resource. Hands out chunks of one size and takes them back; one worker's thread. Every chunk is charged to the
// account while it is out; a few returned ones are kept warm (charged no more). Outlives all its chunks.
class Pool {
 public:
  static constexpr std::size_t kChunkSize = 256 * 1024;

  explicit Pool(Account& account, std::size_t chunk_size = kChunkSize);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // A chunk with at least `bytes` usable bytes: pooled when that fits the chunk size, else of its own size (whole
  // bytes charged). Empty when the budget has no room for this use.
  [[nodiscard]] ChunkRef take(Use use, std::size_t bytes = 0);

  // A chunk of just these bytes, whatever the chunk size: for what stays a while. Empty as above.
  [[nodiscard]] ChunkRef take_exact(Use use, std::size_t bytes);

  // Called (from `take_back`, so do little: post a task) whenever a chunk came home after a `take` for intake had
  // failed.
  void on_room(std::function<void()> heard) { heard_ = std::move(heard); }

  [[nodiscard]] std::size_t chunk_size() const { return chunk_size_; }
  [[nodiscard]] std::uint64_t out() const { return out_; }  // chunks not at home
  [[nodiscard]] const Account& account() const { return account_; }

 private:
  friend class ChunkRef;
  void take_back(Chunk* chunk);
  Chunk* make(std::size_t bytes, bool pooled);
  [[nodiscard]] bool charge(std::size_t bytes, Use use);

  static constexpr std::size_t kKeep = 16;
  Account& account_;
  const std::size_t chunk_size_;
  Chunk* free_ = nullptr;
  std::size_t free_count_ = 0;
  std::uint64_t out_ = 0;
  bool refused_ = false;
  std::function<void()> heard_;
};

}  // namespace logweir
