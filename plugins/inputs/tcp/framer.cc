// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tcp/framer.h"

#include <algorithm>
#include <cstring>

#include "codec/lines.h"

namespace logweir::tcp_in {

const char* FramingRules::find(const char* from, const char* to) const {
  if (separator.size() == 1) return find_byte(from, to, separator.front());
  return static_cast<const char*>(
      memmem(from, static_cast<std::size_t>(to - from), separator.data(), separator.size()));
}

std::span<char> Framer::space(ChunkRef& reading) {
  if (region_.chunk) return {region_.begin + held_, most_held() - held_};
  reading = setup_.intake.room(held_ + setup_.rules.least_read);
  if (!reading) return {};
  std::memcpy(reading->free_space(), small_.data(), held_);
  return {reading->free_space() + held_, reading->room() - held_};
}

void Framer::received(std::size_t size, const ChunkRef& reading) {
  const bool in_region = static_cast<bool>(region_.chunk);
  const ChunkRef chunk = in_region ? std::move(region_.chunk) : reading.share();
  char* begin = in_region ? region_.begin : chunk->free_space();
  const char* end = begin + held_ + size;
  if (!in_region) chunk->used += static_cast<std::uint32_t>(end - begin);  // nobody else's while we look at it
  now_ = setup_.clock.wall();
  const std::uint64_t before = records_;
  const char* from = cut_messages(begin, end, chunk);
  if (in_region && from == begin && !skipping_) {  // grows on where it is
    region_ = {chunk.share(), begin};
    held_ = static_cast<std::size_t>(end - begin);
    return;
  }
  if (!in_region && chunk->free_space() == end) {  // give back what no record looks into
    chunk->used -= static_cast<std::uint32_t>(end - (records_ == before ? begin : from));
  }
  keep(from, end);
  deliver();
}

// Records out of [begin, end), which starts with what was held. Returns where the unfinished message starts.
const char* Framer::cut_messages(const char* begin, const char* end, const ChunkRef& chunk) {
  const std::size_t separator = setup_.rules.separator.size();
  const char* from = skipping_ ? skip(begin, end) : begin;
  const char* search = std::max(from, begin + held_ - std::min(held_, separator - 1));
  while (!skipping_) {
    const char* at = setup_.rules.find(search, end);
    if (at == nullptr) break;
    message(from, at, static_cast<std::size_t>(at - from) + separator, chunk);
    from = search = at + separator;
  }
  if (skipping_ || static_cast<std::size_t>(end - from) < most_held()) return from;
  const std::size_t limit = setup_.rules.limit;
  cut({from, limit}, limit, chunk);
  return skip(from + limit, end);
}

// Looks for the end of a message whose rest is not wanted. Returns where the next message starts, or where the search
// must go on.
const char* Framer::skip(const char* begin, const char* end) {
  const std::size_t separator = setup_.rules.separator.size();
  const char* at = setup_.rules.find(begin, end);
  skipping_ = at == nullptr;
  const char* next =
      skipping_
          ? std::max(begin, end - std::min<std::ptrdiff_t>(end - begin, static_cast<std::ptrdiff_t>(separator - 1)))
          : at + separator;
  position_ += static_cast<std::uint64_t>(next - begin);
  return next;
}

// A message in [from, to); `span` of its bytes are used up by it, its separator included.
void Framer::message(const char* from, const char* to, std::size_t span, const ChunkRef& chunk) {
  std::string_view text(from, static_cast<std::size_t>(to - from));
  if (setup_.rules.separator == "\n" && text.ends_with('\r')) text.remove_suffix(1);
  if (text.size() > setup_.rules.limit) return cut(text.substr(0, setup_.rules.limit), span, chunk);
  if (!text.empty()) record(text, span, 0, chunk);
  position_ += span;
}

void Framer::cut(std::string_view text, std::size_t span, const ChunkRef& chunk) {
  setup_.intake.count_truncated();
  record(text, span, Record::kTruncated, chunk);
  position_ += span;
}

void Framer::record(std::string_view text, std::size_t span, std::uint8_t flags, const ChunkRef& chunk) {
  if (batch_ && batch_->records.size() >= kBatchRecords) deliver();
  if (!batch_) {
    batch_ = setup_.intake.batch(setup_.origin);
    batch_begin_ = position_;
    batch_->hold(chunk);
  }
  Record& record = batch_->records.emplace_back();
  record.time = now_;
  record.data = text.data();
  record.size = static_cast<std::uint32_t>(text.size());
  record.span = static_cast<std::uint32_t>(span);
  record.position = position_;
  record.flags = flags;
  batch_->bytes += text.size();
  ++records_;
}

// What is left of [from, end) is looked at again when more has come.
void Framer::keep(const char* from, const char* end) {
  held_ = static_cast<std::size_t>(end - from);
  if (held_ > kSmall && !skipping_) {
    if (ChunkRef chunk = setup_.intake.room(most_held()); chunk) {
      region_.begin = chunk->free_space();
      std::memmove(region_.begin, from, held_);  // no move at all when it lay at the end of the shared chunk
      chunk->used += static_cast<std::uint32_t>(most_held());
      region_.chunk = std::move(chunk);
      small_.clear();
      return;
    }
  }
  small_.assign(from, held_);
}

void Framer::deliver() {
  if (!batch_) return;
  if (setup_.decoder != nullptr) {
    const Decoded decoded = setup_.decoder->decode(*batch_, now_);
    if (setup_.parse_failed != nullptr) setup_.parse_failed->add(decoded.failed);
  }
  setup_.intake.deliver(std::move(batch_), setup_.source, batch_begin_, position_);
}

void Framer::finish(bool whole) {
  const std::size_t held = std::exchange(held_, 0);
  if (held == 0 || skipping_) return;
  now_ = setup_.clock.wall();
  ChunkRef chunk = std::move(region_.chunk);
  const char* text = std::exchange(region_.begin, nullptr);
  if (!chunk) {
    chunk = setup_.intake.room(held);
    if (!chunk) {
      setup_.intake.count_dropped("no_memory", 1);
      return;
    }
    std::memcpy(chunk->free_space(), small_.data(), held);
    text = chunk->free_space();
    chunk->used += static_cast<std::uint32_t>(held);
  }
  message(text, text + held, held, chunk);
  if (batch_ && !whole) {
    batch_->records.back().flags |= Record::kTruncated;
    setup_.intake.count_truncated();
  }
  deliver();
}

}  // namespace logweir::tcp_in
