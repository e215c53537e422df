// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "memory/pieces.h"
#include "memory/pool.h"
#include "record/batch.h"

namespace logweir {

// A batch of text records over chunks, as an input would hand it on, with the memory it lives in.
class LineBatch {
 public:
  explicit LineBatch(Origin origin = {}, std::uint64_t memory = 64 << 20)
      : budget_(memory), account_(budget_), pool_(account_), batches_(pool_) {
    if (origin.tag == nullptr) origin.tag = &tag_;
    batch_ = batches_.make();
    batch_->origin = OriginRef::make(std::move(origin));
  }

  Record& add(std::string_view line) {
    if (!chunk_ || chunk_->room() < line.size() + 1) {
      chunk_ = pool_.take(Use::intake, line.size() + 1);
      batch_->hold(chunk_);
    }
    char* at = chunk_->free_space();
    std::memcpy(at, line.data(), line.size());
    at[line.size()] = '\n';
    chunk_->used += static_cast<std::uint32_t>(line.size() + 1);
    Record& record = batch_->records.emplace_back();
    record.time = time;
    record.data = at;
    record.size = static_cast<std::uint32_t>(line.size());
    record.span = record.size + 1;
    record.position = position_;
    position_ += record.span;
    batch_->bytes += line.size();
    return record;
  }

  // The same text in a place where vector code may read behind it.
  std::string_view store(std::string_view text) {
    char* at = batch_->scratch(text.size());
    std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }

  Batch& operator*() { return *batch_; }
  Batch* operator->() { return batch_.get(); }
  Pool& pool() { return pool_; }
  [[nodiscard]] Part all() const { return {batch_.get(), 0, static_cast<std::uint32_t>(batch_->records.size())}; }

  Nanos time = 1'700'000'000'123'456'000;  // of the records added next

 private:
  Tag tag_{"t", 0};
  Budget budget_;
  Account account_;
  Pool pool_;
  BatchPool batches_;
  ChunkRef chunk_;
  BatchRef batch_;
  std::uint64_t position_ = 0;
};

// All bytes of a list of pieces.
inline std::string joined(const Pieces& pieces) {
  std::string text;
  for (const iovec& piece : pieces.front(SIZE_MAX))
    text.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  return text;
}

}  // namespace logweir
