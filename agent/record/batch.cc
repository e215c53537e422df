// SPDX-License-Identifier: Apache-2.0
#include "record/batch.h"

#include "base/check.h"

namespace logweir {

char* Batch::scratch(std::size_t size) {
  if (!scratch_chunk || scratch_chunk->room() < size) {
    scratch_chunk = home->pool().take(Use::outflow, size);
    if (!scratch_chunk) return nullptr;
    chunks.push_back(scratch_chunk.share());
  }
  char* space = scratch_chunk->free_space();
  scratch_chunk->used += static_cast<std::uint32_t>(size);
  return space;
}

void BatchRef::reset() {
  Batch* batch = std::exchange(batch_, nullptr);
  if (batch != nullptr && --batch->refs == 0) batch->home->take_back(batch);
}

BatchPool::~BatchPool() {
  LW_CHECK(out_ == 0);
  for (Batch* batch : free_) delete batch;
}

BatchRef BatchPool::make() {
  ++out_;
  if (free_.empty()) {
    auto* batch = new Batch;
    batch->home = this;
    return BatchRef(batch);
  }
  Batch* batch = free_.back();
  free_.pop_back();
  return BatchRef(batch);
}

void BatchPool::take_back(Batch* batch) {
  --out_;
  batch->sealed = false;
  batch->origin = {};
  batch->receipt.reset();
  batch->claim = nullptr;
  batch->scratch_chunk.reset();
  batch->chunks.clear();
  batch->records.clear();
  batch->fields.clear();
  batch->source = 0;
  batch->read_at = 0;
  batch->bytes = 0;
  if (free_.size() >= kKeep || batch->records.capacity() > kKeepRecords || batch->fields.capacity() > kKeepRecords) {
    delete batch;
  } else {
    free_.push_back(batch);
  }
}

}  // namespace logweir
