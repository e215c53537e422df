// SPDX-License-Identifier: Apache-2.0
#include "memory/pieces.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace logweir {

char* Pieces::reserve(std::size_t bytes) {
  if (!chunks_.empty() && chunks_.back()->room() >= bytes) return chunks_.back()->free_space();
  ChunkRef chunk = pool_.take(Use::outflow, bytes);
  if (!chunk) return nullptr;
  chunks_.push_back(std::move(chunk));
  return chunks_.back()->free_space();
}

void Pieces::commit(std::size_t bytes) {
  if (bytes == 0) return;
  Chunk* chunk = chunks_.back().get();
  LW_CHECK(bytes <= chunk->room());
  add(chunk->free_space(), bytes);
  chunk->used += static_cast<std::uint32_t>(bytes);
}

bool Pieces::append(std::string_view bytes) {
  char* space = reserve(bytes.size());
  if (space == nullptr) return false;
  std::memcpy(space, bytes.data(), bytes.size());
  commit(bytes.size());
  return true;
}

void Pieces::refer(std::string_view bytes) {
  if (!bytes.empty()) add(const_cast<char*>(bytes.data()), bytes.size());  // iovec is not const; writev only reads
}

void Pieces::add(char* data, std::size_t bytes) {
  size_ += bytes;
  if (iov_.size() > first_ && static_cast<char*>(iov_.back().iov_base) + iov_.back().iov_len == data) {
    iov_.back().iov_len += bytes;
    return;
  }
  iov_.push_back({data, bytes});
}

std::span<const iovec> Pieces::front(std::size_t most) const {
  return {iov_.data() + first_, std::min(most, iov_.size() - first_)};
}

void Pieces::consume(std::size_t bytes) {
  LW_CHECK(bytes <= size_);
  size_ -= bytes;
  if (size_ == 0) {
    clear();
    return;
  }
  while (bytes > 0) {
    iovec& piece = iov_[first_];
    if (bytes < piece.iov_len) {
      piece.iov_base = static_cast<char*>(piece.iov_base) + bytes;
      piece.iov_len -= bytes;
      break;
    }
    bytes -= piece.iov_len;
    ++first_;
  }
  // Chunks before the one that holds the first unwritten copied byte are not looked at again. A chunk is found to be
  // done when no remaining piece lies in it.
  const auto* at = static_cast<const char*>(iov_[first_].iov_base);
  while (chunks_.size() > 1) {
    Chunk* chunk = chunks_.front().get();
    const bool here = at >= chunk->data() && at < chunk->data() + chunk->capacity;
    bool later = here;
    for (std::size_t i = first_; !later && i < iov_.size(); ++i) {
      const auto* p = static_cast<const char*>(iov_[i].iov_base);
      later = p >= chunk->data() && p < chunk->data() + chunk->capacity;
    }
    if (later) break;
    chunks_.erase(chunks_.begin());
  }
}

void Pieces::clear() {
  iov_.clear();
  first_ = 0;
  size_ = 0;
  if (chunks_.empty()) return;
  // The newest chunk stays for the next turn when nobody else can be looking at it.
  ChunkRef keep = std::move(chunks_.back());
  chunks_.clear();
  if (keep->pooled && keep->refs == 1) {
    keep->used = 0;
    chunks_.push_back(std::move(keep));
  }
}

}  // namespace logweir
