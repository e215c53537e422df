// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/pool.h"
#include "record/batch.h"

namespace logweir {

// Resource, one per lane. Moves what waits long out of chunks that it uses little of: after a filter that keeps one
// line in a hundred, a waiting batch would pin a hundred times its bytes.
class Compactor {
 public:
  explicit Compactor(Pool& pool) : pool_(pool) {}

  // Copies the batch's bodies together and lets its chunks go, if it uses less than a quarter of them. Only a batch
  // that nobody else holds is touched: another thread may look at a shared one. False when the pool has no room.
  bool compact(Batch& batch);

 private:
  Pool& pool_;
  ChunkRef open_;  // shared by batches until it is full
};

}  // namespace logweir
