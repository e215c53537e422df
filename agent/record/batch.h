// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/chunk.h"
#include "memory/pool.h"
#include "record/origin.h"
#include "record/receipt.h"
#include "record/record.h"

namespace logweir {

class BatchPool;

// Resource, pooled, shared by a plain count on one worker's thread. Many records of one origin and everything they
// look at. Open (filters change it in place) until it is routed, then sealed: bytes and tables stay as they are.
struct Batch {
  BatchPool* home = nullptr;
  std::uint32_t refs = 0;
  bool sealed = false;
  OriginRef origin;
  ReceiptRef receipt;            // of the bytes this came from; empty once routed (the lanes count on their own)
  Receipt* claim = nullptr;      // the same receipt, for the lanes; valid while a lane owes for this batch
  std::vector<ChunkRef> chunks;  // each chunk that a record looks into, once
  std::vector<Record> records;
  std::vector<Field> fields;
  std::uint64_t source = 0;  // with a record's position what its id is made of (record_id.h); 0: none
  Nanos read_at = 0;         // monotonic: when the first byte was read
  std::uint64_t bytes = 0;   // of all bodies, as they were read

  // Keeps the chunk alive as long as this batch; asking again for the same one costs nothing.
  void hold(const ChunkRef& chunk) {
    if (chunks.empty() || chunks.back().get() != chunk.get()) chunks.push_back(chunk.share());
  }
  // `size` bytes that live as long as the batch, for text that a filter or parser makes up. The space is in a chunk of
  // this batch; nullptr when the pool is out of memory.
  [[nodiscard]] char* scratch(std::size_t size);

  ChunkRef scratch_chunk;  // `scratch`'s own
};

class BatchRef {
 public:
  BatchRef() = default;
  explicit BatchRef(Batch* batch) : batch_(batch) {
    if (batch_ != nullptr) ++batch_->refs;
  }
  BatchRef(const BatchRef& other) : BatchRef(other.batch_) {}
  BatchRef(BatchRef&& other) noexcept : batch_(std::exchange(other.batch_, nullptr)) {}
  BatchRef& operator=(BatchRef other) noexcept {
    std::swap(batch_, other.batch_);
    return *this;
  }
  ~BatchRef() { reset(); }
  void reset();
  [[nodiscard]] Batch* get() const { return batch_; }
  Batch* operator->() const { return batch_; }
  Batch& operator*() const { return *batch_; }
  [[nodiscard]] explicit operator bool() const { return batch_ != nullptr; }

 private:
  Batch* batch_ = nullptr;
};

// Resource. Makes batches and takes them back with their tables' capacity, so that a steady flow allocates nothing.
// One worker's thread; outlives its batches.
class BatchPool {
 public:
  explicit BatchPool(Pool& pool) : pool_(pool) {}
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  ~BatchPool();
  [[nodiscard]] BatchRef make();
  [[nodiscard]] Pool& pool() { return pool_; }

 private:
  friend class BatchRef;
  void take_back(Batch* batch);
  static constexpr std::size_t kKeep = 256;
  static constexpr std::size_t kKeepRecords = 8192;  // a larger table is given back to the system
  Pool& pool_;
  std::vector<Batch*> free_;
  std::uint64_t out_ = 0;
};

// Value. A run of a batch's records, [first, last).
struct Part {
  Batch* batch = nullptr;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  [[nodiscard]] std::uint32_t count() const { return last - first; }
};

}  // namespace logweir
