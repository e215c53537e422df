// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compact.h"

#include <algorithm>
#include <cstring>

namespace logweir {

namespace {

// What the batch keeps out of the pool, each chunk's cost shared among its holders.
std::uint64_t pinned(const Batch& batch) {
  std::uint64_t bytes = 0;
  for (const ChunkRef& chunk : batch.chunks) bytes += chunk->capacity / chunk->refs;
  return bytes;
}

std::uint64_t used(const Batch& batch) {
  std::uint64_t bytes = 0;
  for (const Record& record : batch.records) bytes += record.size;
  return bytes;
}

bool within(std::string_view view, const char* begin, std::size_t size) {
  return view.data() >= begin && view.data() + view.size() <= begin + size;
}

// Whether a text would be lost: it is in memory that compacting gives up, and in no body that moves. So it is with
// fields that came out of a spool, which have texts of their own.
bool would_be_lost(std::string_view view, const Record& record, const Batch& batch) {
  if (view.empty() || within(view, record.data, record.size)) return false;
  return std::any_of(batch.chunks.begin(), batch.chunks.end(), [&](const ChunkRef& chunk) {
    return chunk.get() != batch.scratch_chunk.get() && within(view, chunk->data(), chunk->capacity);
  });
}

bool may_move(const Batch& batch) {
  for (const Record& record : batch.records) {
    for (std::uint32_t i = 0; i < record.field_count; ++i) {
      const Field& field = batch.fields[record.fields + i];
      if (would_be_lost(field.key, record, batch)) return false;
      if (would_be_lost(field.value.text, record, batch)) return false;
    }
  }
  return true;
}

// Views into the old body follow it; others look into the scratch chunk or static storage, which stay.
void follow(std::string_view& view, const Record& old, const char* now) {
  if (view.data() < old.data || view.data() > old.data + old.size) return;
  view = {now + (view.data() - old.data), view.size()};
}

}  // namespace

bool Compactor::compact(Batch& batch) {
  if (batch.refs != 1) return true;
  const std::uint64_t bytes = used(batch);
  if (bytes * 4 >= pinned(batch) || !may_move(batch)) return true;
  if (!open_ || open_->room() < bytes) {
    open_ = pool_.take(Use::outflow, bytes);
    if (!open_) return false;
  }
  for (Record& record : batch.records) {
    char* now = open_->free_space();
    std::memcpy(now, record.data, record.size);
    open_->used += record.size;
    for (std::uint32_t i = 0; i < record.field_count; ++i) {
      Field& field = batch.fields[record.fields + i];
      follow(field.key, record, now);
      follow(field.value.text, record, now);
    }
    record.data = now;
  }
  batch.chunks.clear();
  batch.chunks.push_back(open_.share());
  if (batch.scratch_chunk) batch.chunks.push_back(batch.scratch_chunk.share());
  return true;
}

}  // namespace logweir
