// SPDX-License-Identifier: Apache-2.0
#include "memory/pool.h"

#include <cstring>
#include <new>

#include "base/check.h"

namespace logweir {

namespace {
constexpr std::align_val_t kAlign{64};
static_assert(sizeof(Chunk) % 8 == 0);
}  // namespace

void ChunkRef::reset() {
  Chunk* chunk = std::exchange(chunk_, nullptr);
  if (chunk != nullptr && --chunk->refs == 0) chunk->home->take_back(chunk);
}

Pool::Pool(Account& account, std::size_t chunk_size) : account_(account), chunk_size_(chunk_size) {}

Pool::~Pool() {
  LW_CHECK(out_ == 0);
  while (free_ != nullptr) {
    Chunk* chunk = std::exchange(free_, free_->next_free);
    ::operator delete(chunk, kAlign);
  }
}

ChunkRef Pool::take(Use use, std::size_t bytes) {
  const bool pooled = bytes <= chunk_size_;
  const std::size_t size = pooled ? chunk_size_ : bytes;
  if (!charge(size, use)) return {};
  ++out_;
  if (!pooled || free_ == nullptr) return ChunkRef(make(size, pooled));
  Chunk* chunk = std::exchange(free_, free_->next_free);
  --free_count_;
  chunk->used = 0;
  return ChunkRef(chunk);
}

ChunkRef Pool::take_exact(Use use, std::size_t bytes) {
  if (!charge(bytes, use)) return {};
  ++out_;
  return ChunkRef(make(bytes, false));
}

bool Pool::charge(std::size_t bytes, Use use) {
  if (bytes <= UINT32_MAX && account_.charge(bytes, use)) return true;
  refused_ = refused_ || use == Use::intake;
  return false;
}

Chunk* Pool::make(std::size_t bytes, bool pooled) {
  void* block = ::operator new(sizeof(Chunk) + bytes + kChunkPadding, kAlign);
  auto* chunk = new (block) Chunk;
  chunk->home = this;
  chunk->capacity = static_cast<std::uint32_t>(bytes);
  chunk->pooled = pooled;
  std::memset(chunk->data() + bytes, 0, kChunkPadding);
  return chunk;
}

void Pool::take_back(Chunk* chunk) {
  account_.release(chunk->capacity);
  --out_;
  if (chunk->pooled && free_count_ < kKeep) {
    chunk->next_free = std::exchange(free_, chunk);
    ++free_count_;
  } else {
    ::operator delete(chunk, kAlign);
  }
  if (std::exchange(refused_, false) && heard_) heard_();
}

}  // namespace logweir
