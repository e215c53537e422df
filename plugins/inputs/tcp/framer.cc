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
  in_place_ = reads_in_place();
  if (!in_place_ && held_ > kCopied) {
    if (!grow()) return no_room();
    in_place_ = true;
  }
  if (in_place_) return {own_.begin + held_, std::min<std::size_t>(own_.chunk->capacity, most_held()) - held_};
  reading = setup_.intake.room(held_ + setup_.rules.least_read);
  if (!reading) return no_room();
  if (held_ > 0) std::memcpy(reading->free_space(), own_.chunk ? own_.begin : short_.data(), held_);
  return {reading->free_space() + held_, reading->room() - held_};
}

// Only where there is room for a good part of what is held; else many small reads would be made.
bool Framer::reads_in_place() const {
  if (!own_.own || held_ <= kSmall) return false;
  const std::size_t end = std::min<std::size_t>(own_.chunk->capacity, most_held());
  return end == most_held() || end - held_ >= held_ / 4;
}

// Moves a long message to a chunk of twice its size.
bool Framer::grow() {
  ChunkRef larger = setup_.intake.exact_room(std::min(2 * held_, most_held()));
  if (!larger) return false;
  std::memcpy(larger->data(), own_.begin, held_);
  place_.hold(larger->capacity, false);
  char* begin = larger->data();
  own_ = {std::move(larger), begin, true};
  return true;
}

std::span<char> Framer::no_room() {
  setup_.unfinished.make_room();
  return {};
}

void Framer::received(std::size_t size, const ChunkRef& reading) {
  const bool in_place = std::exchange(in_place_, false);
  const ChunkRef chunk = in_place ? std::exchange(own_, {}).chunk : reading.share();
  char* begin = in_place ? chunk->data() : chunk->free_space();
  const char* end = begin + held_ + size;
  const auto before = chunk->used;
  chunk->used = static_cast<std::uint32_t>(end - chunk->data());  // nobody else's while we look at it
  now_ = setup_.clock.wall();
  const std::uint64_t records = records_;
  const char* from = cut_messages(begin, end, chunk);
  const bool same = from == begin && held_ > 0 && !skipping_;
  if (in_place && same) {  // grows on where it is
    own_ = {chunk.share(), begin, true};
    held_ = static_cast<std::size_t>(end - begin);
    setup_.unfinished.keep_bound();
    return;
  }
  keep(from, end, chunk, !same);
  if (!in_place && own_.begin != from && chunk->free_space() == end) {  // give back what no record looks into
    chunk->used = records_ == records ? before : static_cast<std::uint32_t>(from - chunk->data());
  }
  deliver();
  setup_.unfinished.keep_bound();
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

// What is left of [from, end), in `chunk`, is looked at again when more has come. `anew`: it is the start of a message.
void Framer::keep(const char* from, const char* end, const ChunkRef& chunk, bool anew) {
  held_ = static_cast<std::size_t>(end - from);
  if (held_ < setup_.rules.separator.size()) {
    short_.assign(from, held_);
    own_ = {};
    return place_.leave();
  }
  std::size_t size = held_ > kSmall && !anew ? std::min(2 * held_, most_held()) : held_;
  size = (size + kStep - 1) / kStep * kStep;
  if (!own_.own || own_.chunk->capacity < held_ || own_.chunk->capacity > 2 * size) {
    own_ = {};
    ChunkRef exact = setup_.intake.exact_room(size);
    const bool own = static_cast<bool>(exact);  // else it stays where it is, and the input is paused
    own_ = {own ? std::move(exact) : chunk.share(), nullptr, own};
    own_.begin = own ? own_.chunk->data() : const_cast<char*>(from);
  }
  if (own_.own) {
    std::memcpy(own_.begin, from, held_);
    own_.chunk->used = static_cast<std::uint32_t>(held_);
  }
  place_.hold(own_.chunk->capacity, anew);
}

void Framer::deliver() {
  if (!batch_) return;
  if (setup_.decoder != nullptr) {
    const Decoded decoded = setup_.decoder->decode(*batch_, now_);
    if (setup_.parse_failed != nullptr) setup_.parse_failed->add(decoded.failed);
  }
  setup_.intake.deliver(std::move(batch_), setup_.source, batch_begin_, position_);
}

void Framer::hand_over() {
  if (!own_.chunk) return;
  place_.leave();
  const Held own = std::exchange(own_, {});
  // The start of a separator may be the last that came: it has to be seen again.
  const std::size_t tail = setup_.rules.separator.size() - 1;
  const std::size_t size = held_ - tail;
  short_.assign(own.begin + size, tail);
  held_ = tail;
  skipping_ = true;
  now_ = setup_.clock.wall();
  cut({own.begin, std::min(size, setup_.rules.limit)}, size, own.chunk);
  deliver();
}

void Framer::finish(bool whole) {
  place_.leave();
  Held own = std::exchange(own_, {});
  const std::size_t held = std::exchange(held_, 0);
  if (held == 0 || skipping_) return;
  now_ = setup_.clock.wall();
  ChunkRef chunk = std::move(own.chunk);
  const char* text = own.begin;
  if (!chunk) {
    chunk = setup_.intake.room(held);
    if (!chunk) {
      setup_.intake.count_dropped("no_memory", 1);
      return;
    }
    std::memcpy(chunk->free_space(), short_.data(), held);
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
