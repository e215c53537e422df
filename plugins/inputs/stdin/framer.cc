// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/stdin/framer.h"

#include <cstring>
#include <utility>

#include "codec/lines.h"

namespace logweir::stdin_in {

std::span<char> LineFramer::space() {
  if (!chunk_ || chunk_->room() < held_ + kLeastRead) {
    ChunkRef next = setup_.intake.own_room(held_ < kLeastRead ? Pool::kChunkSize : 2 * held_ + kLeastRead);
    if (!next) return {};
    if (held_ > 0) std::memcpy(next->free_space(), held(), held_);
    chunk_ = std::move(next);
  }
  return {held() + held_, chunk_->room() - held_};
}

void LineFramer::received(std::size_t size) {
  const char* from = held();
  const char* search = from + held_;
  const char* const end = search + size;
  begin_ = position_;
  while (const char* newline = find_newline(search, end)) {
    const std::size_t span = static_cast<std::size_t>(newline + 1 - from);
    if (!std::exchange(skipping_, false)) take(from, newline, span, false);
    position_ += span;
    from = search = newline + 1;
  }
  held_ = static_cast<std::size_t>(end - from);
  if (skipping_ || held_ > setup_.limit + 1) {  // a carriage return may be the last
    if (!std::exchange(skipping_, true)) take(from, from + setup_.limit, held_, true);
    position_ += held_;
    from = end;
    held_ = 0;
  }
  chunk_->used += static_cast<std::uint32_t>(from - held());
  deliver();
}

void LineFramer::finish() {
  if (held_ == 0 || skipping_) return;
  begin_ = position_;
  take(held(), held() + held_, held_, false);
  position_ += held_;
  chunk_->used += static_cast<std::uint32_t>(std::exchange(held_, 0));
  deliver();
}

void LineFramer::take(const char* from, const char* to, std::size_t span, bool cut) {
  std::string_view text(from, static_cast<std::size_t>(to - from));
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.size() > setup_.limit) {
    text = text.substr(0, setup_.limit);
    cut = true;
  }
  if (cut) setup_.intake.count_truncated();
  if (text.empty()) return;
  if (!batch_) {
    batch_ = setup_.intake.batch(setup_.origin);
    batch_->hold(chunk_);
  }
  Record& record = batch_->records.emplace_back();
  record.time = setup_.clock.wall();
  record.data = text.data();
  record.size = static_cast<std::uint32_t>(text.size());
  record.span = static_cast<std::uint32_t>(span);
  record.position = position_;
  record.flags = cut ? std::uint8_t{Record::kTruncated} : std::uint8_t{0};
  batch_->bytes += text.size();
}

void LineFramer::deliver() {
  if (!batch_) return;
  if (setup_.decoder != nullptr) {
    setup_.decoder->decode(*batch_, setup_.clock.wall());
    // What is no JSON object is a text, which the input's parser may take.
    for (Record& record : batch_->records) record.flags &= static_cast<std::uint8_t>(~Record::kParseFailed);
  }
  setup_.intake.deliver(std::move(batch_), setup_.source, begin_, position_);
}

}  // namespace logweir::stdin_in
