// SPDX-License-Identifier: Apache-2.0
#include "plugin/outbox.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace logweir {

Part ShipmentCursor::rest() const {
  Part part = shipment_.parts[part_];
  part.first += done_;
  return part;
}

void ShipmentCursor::advance(std::uint32_t records) {
  done_ += records;
  taken_ += records;
  LW_CHECK(done_ <= shipment_.parts[part_].count());
  skip_empty();
}

void ShipmentCursor::skip_empty() {
  while (part_ < shipment_.parts.size() && done_ == shipment_.parts[part_].count()) {
    ++part_;
    done_ = 0;
  }
}

Outbox::Outbox(EncodeOptions options, OutputServices& services)
    : encoder_(std::move(options)),
      pieces_(services.pool),
      repaired_(services.metrics.counter("logweir_output_repaired_utf8_total",
                                         "Ill-formed UTF-8 sequences replaced by U+FFFD while encoding",
                                         {{"output", services.name}})) {}

std::uint64_t Outbox::fill(ShipmentCursor& cursor, std::size_t stop, std::size_t until) {
  const std::uint64_t before = cursor.taken();
  while (!cursor.at_end() && cursor.part() < until && pieces_.size() < stop) {
    const std::size_t waiting = pieces_.size();
    const std::uint32_t count = encoder_.encode(cursor.rest(), pieces_, std::min(stop, waiting + kStep));
    if (count == 0) break;
    encoded_ += pieces_.size() - waiting;
    note(cursor.ordinal(), count);
    cursor.advance(count);
  }
  const std::uint64_t repaired = encoder_.repaired();
  if (repaired != repaired_seen_) repaired_.add(repaired - std::exchange(repaired_seen_, repaired));
  return cursor.taken() - before;
}

void Outbox::note(std::uint64_t first, std::uint64_t count) {
  if (marks_.size() - first_ >= kMany) {
    Mark& last = marks_.back();
    const std::uint64_t start = marks_[marks_.size() - 2].end;
    if (last.first + last.count == first && encoded_ - start <= kStep) {
      last.count += count;
      last.end = encoded_;
      return;
    }
  }
  if (first_ > 0 && marks_.size() == marks_.capacity()) {  // reuse the popped ones before growing
    marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  marks_.push_back({encoded_, first, count});
}

bool Outbox::pop(std::uint64_t position, RecordRange& range) {
  if (first_ == marks_.size() || marks_[first_].end > position) return false;
  range = {marks_[first_].first, 0};
  while (first_ < marks_.size() && marks_[first_].end <= position &&
         marks_[first_].first == range.first + range.count) {
    range.count += marks_[first_].count;
    popped_ = marks_[first_++].end;
  }
  if (first_ == marks_.size()) {
    marks_.clear();
    first_ = 0;
  }
  return true;
}

std::uint64_t Outbox::boundary(std::uint64_t position) const {
  std::uint64_t found = popped_;
  for (std::size_t i = first_; i < marks_.size() && marks_[i].end <= position; ++i) found = marks_[i].end;
  return found;
}

void Outbox::restart() {
  pieces_.clear();
  marks_.clear();
  first_ = 0;
  encoded_ = written_ = popped_ = 0;
}

}  // namespace logweir
