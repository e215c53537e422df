// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace logweir {

class Pool;

// Spare readable bytes behind every chunk's end, so that vector code and simdjson may read past it. Never written
// by us after birth; their content means nothing.
constexpr std::size_t kChunkPadding = 64;

// Resource. A block of log bytes with a plain reference count: a chunk never leaves its worker's thread (another
// thread only ever gets a loan of its bytes while the owner keeps a reference). Filled front to back; bytes once
// committed never change while anybody looks at them.
struct Chunk {
  Pool* home = nullptr;
  Chunk* next_free = nullptr;  // the pool's list
  std::uint32_t refs = 0;
  std::uint32_t capacity = 0;  // usable bytes, the padding not counted
  std::uint32_t used = 0;      // bytes committed so far
  bool pooled = true;          // false: of its own size, given back to the system

  [[nodiscard]] char* data() { return reinterpret_cast<char*>(this + 1); }
  [[nodiscard]] char* free_space() { return data() + used; }
  [[nodiscard]] std::size_t room() const { return capacity - used; }
};

// Value, move-only but for `share`. Keeps one chunk alive; the last one sends it home.
class ChunkRef {
 public:
  ChunkRef() = default;
  explicit ChunkRef(Chunk* chunk) : chunk_(chunk) {
    if (chunk_ != nullptr) ++chunk_->refs;
  }
  ChunkRef(ChunkRef&& other) noexcept : chunk_(std::exchange(other.chunk_, nullptr)) {}
  ChunkRef& operator=(ChunkRef&& other) noexcept {
    if (this != &other) {
      reset();
      chunk_ = std::exchange(other.chunk_, nullptr);
    }
    return *this;
  }
  ~ChunkRef() { reset(); }

  [[nodiscard]] ChunkRef share() const { return ChunkRef(chunk_); }
  void reset();
  [[nodiscard]] Chunk* get() const { return chunk_; }
  Chunk* operator->() const { return chunk_; }
  [[nodiscard]] explicit operator bool() const { return chunk_ != nullptr; }

 private:
  Chunk* chunk_ = nullptr;
};

}  // namespace logweir
