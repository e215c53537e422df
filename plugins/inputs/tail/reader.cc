// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace logweir::tail {

namespace {

constexpr std::size_t kWindow = 256 * 1024;
// A partial line up to this length is read again with what follows it.
constexpr std::uint64_t kReadAgain = 4096;
constexpr Nanos kHeadCheckEvery = 100 * kMillisecond;

// Of the byte order mark at its beginning.
std::uint64_t order_mark_size(const TailFile& file) {
  char bytes[2];
  if (!is_wide(file.code) || read_at(file.fd.get(), bytes, 2, 0) < 2) return 0;
  const std::string_view mark = file.code == TextCode::utf16le ? "\xff\xfe" : "\xfe\xff";
  return std::string_view(bytes, 2) == mark ? 2 : 0;
}

}  // namespace

Reader::Reader(InputServices& services, LineRules rules, std::unique_ptr<Decoding> decoding,
               std::function<void(ColdRead&)> finished)
    : services_(services), rules_(rules), decoding_(std::move(decoding)), finished_(std::move(finished)) {
  if (decoding_ == nullptr) return;
  replaced_ = &services.metrics.counter("logweir_input_replaced_sequences_total",
                                        "Ill-formed parts of text in the file's encoding, replaced by U+FFFD",
                                        {{"input", services.name}});
}

Step Reader::step(TailFile& file) {
  if (file.packed) return step_packed(file);
  struct stat st;
  if (fstat(file.fd.get(), &st) != 0) {
    error_ = errno;
    return Step::failed;
  }
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (size < file.seen_size && !file.copy) return Step::shrunk;
  file.shrunk_since = 0;
  const std::uint64_t size_before = std::exchange(file.seen_size, std::max(file.seen_size, size));
  const Nanos now = services_.loop.now();
  const bool head_grows = file.head.size < kHeadBytes && file.seen_size > file.head.size;
  if (head_grows || now - file.head_checked >= kHeadCheckEvery) {
    file.head_checked = now;
    if (!check_head(file, false)) return not_the_same(file, size_before);
  }
  if (size <= file.scanned && file.line_end <= file.offset) return Step::at_end;
  const std::uint64_t newline = newline_size(file.code);
  const std::uint64_t length = file.line_end > file.offset ? file.line_end - newline - file.offset : 0;
  if (length > rules_.limit + newline && rules_.skip_long) {
    Framed framed;
    framed.dropped = 1;
    hand_over(file, services_.intake.batch(file.origin), framed, file.line_end);
    renew_mark(file);
    return outcome(file);
  }
  Plan next = plan(file);
  next.size_before = size_before;
  return read_inline(file, next);
}

// How much of the old content was not read is known by its last size alone.
Step Reader::not_the_same(TailFile& file, std::uint64_t size_before) {
  file.seen_size = size_before;
  return Step::replaced;
}

Reader::Plan Reader::plan(const TailFile& file) const {
  const std::uint64_t left = file.seen_size - file.offset;
  const std::uint64_t window = std::min<std::uint64_t>(left, kWindow);
  if (file.line_end > file.offset) {
    const std::uint64_t length = file.line_end - file.offset;
    if (length > rules_.limit + 2 * newline_size(file.code)) return {Plan::Kind::cut, file.offset, rules_.limit, 0};
    return {Plan::Kind::lines, file.offset, std::max(window, length), 0};
  }
  if (file.joins != 0 || file.scanned - file.offset > kReadAgain) {
    return {Plan::Kind::scan, file.scanned, std::min<std::uint64_t>(file.seen_size - file.scanned, kWindow), 0};
  }
  return {Plan::Kind::lines, file.offset, window, 0};
}

Step Reader::read_inline(TailFile& file, const Plan& plan) {
  ChunkRef chunk = services_.intake.room(plan.want);
  if (!chunk) return Step::no_room;
  const std::size_t mark_size = plan.kind == Plan::Kind::lines ? file.mark.size : 0;
  std::array<char, kMarkBytes> mark;
  const std::array<iovec, 2> to = {iovec{mark.data(), mark_size}, iovec{chunk->free_space(), plan.want}};
  const Got got = devices_.read(file.id.dev, file.fd.get(), to, plan.at - mark_size);
  switch (got.kind) {
    case Got::Kind::cold:
      return read_cold(file, plan);
    case Got::Kind::failed:
      error_ = got.error;
      return Step::failed;
    case Got::Kind::bytes:
      break;
  }
  // A line whose end is known is wanted whole; a part of it is not in the cache.
  const bool whole_line = file.line_end > file.offset;
  if (whole_line && got.bytes < mark_size + std::min<std::uint64_t>(plan.want, file.line_end - file.offset)) {
    return read_cold(file, plan);
  }
  return take(file, plan, std::move(chunk), mark.data(), got.bytes);
}

Step Reader::read_cold(TailFile& file, const Plan& plan) {
  auto read = std::make_shared<ColdRead>();  // shared by the two halves of one job; the second is the last
  read->chunk = services_.intake.own_room(plan.want);
  if (!read->chunk) return Step::no_room;
  read->serial = file.serial;
  read->fd = file.fd.get();
  read->plan = plan;
  read->mark_size = plan.kind == Plan::Kind::lines ? file.mark.size : 0;
  file.cold = true;
  ColdRead* const lent = read.get();
  under_way_.push_back(lent);
  char* const space = read->chunk->free_space();
  services_.jobs.run(
      [lent, space] {
        const std::array<iovec, 2> to = {iovec{lent->mark.data(), lent->mark_size}, iovec{space, lent->plan.want}};
        lent->got = read_blocking(lent->fd, to, lent->plan.at - lent->mark_size);
      },
      [this, read] {
        std::erase(under_way_, read.get());
        finished_(*read);
      });
  return Step::cold;
}

Step Reader::digest(TailFile& file, ColdRead& read) {
  file.cold = false;
  if (read.plan.kind == Plan::Kind::unpack) return digest_packed(file, read);
  if (read.got.kind == Got::Kind::failed) {
    error_ = read.got.error;
    return Step::failed;
  }
  const std::uint64_t line = file.line_end > file.offset ? file.line_end - file.offset : 0;
  if (line > 0 && read.got.bytes < read.mark_size + std::min<std::uint64_t>(read.plan.want, line)) {
    file.line_end = 0;  // it is not there any more: look anew
    file.scanned = file.offset;
    return Step::at_end;
  }
  return take(file, read.plan, std::move(read.chunk), read.mark.data(), read.got.bytes);
}

bool Reader::join(TailFile& file, const std::vector<TailFile*>& fronts) {
  const std::uint64_t span = file.line_end;
  // A younger file's byte order mark is no part of a line that an older one begins.
  const std::uint64_t mark = order_mark_size(file);
  std::uint64_t whole = span - newline_size(file.code) - mark;
  for (const TailFile* front : fronts) whole += front->unread();
  const std::uint64_t want = std::min(whole, rules_.limit + 1);
  ChunkRef chunk = services_.intake.room(want);
  if (!chunk) return false;
  std::size_t got = 0;
  for (const TailFile* front : fronts) {
    const std::uint64_t part = std::min(front->unread(), want - got);
    got += read_at(front->fd.get(), chunk->free_space() + got, part, front->offset);
  }
  got += read_at(file.fd.get(), chunk->free_space() + got, want - got, mark);
  BatchRef batch = services_.intake.batch(file.origin);
  Framed framed;
  Decoding* const decoding = begin_decoding(file, got);
  frame_line(*batch, {{chunk->free_space(), got}, whole, span, 0}, services_.loop.wall(), rules_, framed, decoding);
  if (!keep_texts(*batch, chunk, got, decoding)) return false;
  for (TailFile* front : fronts) {
    front->owed_from = std::min(front->owed_from, front->offset);
    front->offset = front->scanned = front->seen_size;
    front->line_end = 0;
    front->joins = 0;
    renew_mark(*front);
  }
  file.joins = 0;
  joining_ = true;
  hand_over(file, std::move(batch), framed, span);
  joining_ = false;
  renew_mark(file);
  return true;
}

void Reader::settle_join(TailFile& older) {
  if (older.owed_from == TailFile::kNothingOwed) return;
  hand_over(older, services_.intake.batch(older.origin), {}, older.offset);
  if (older.fd) renew_mark(older);
}

void Reader::abandon(TailFile& file) {
  for (ColdRead* read : under_way_) {
    if (read->serial == file.serial) read->kept = std::move(file.fd);
  }
}

Step Reader::take(TailFile& file, const Plan& plan, ChunkRef chunk, const char* mark, std::size_t got) {
  switch (plan.kind) {
    case Plan::Kind::lines:
      return take_lines(file, plan, std::move(chunk), mark, got);
    case Plan::Kind::scan:
      if (got == 0) return Step::at_end;
      take_scan(file, chunk->free_space(), got);
      return outcome(file);
    case Plan::Kind::cut:
      if (got == 0) return Step::at_end;
      return take_cut(file, std::move(chunk), got) ? outcome(file) : Step::no_room;
    case Plan::Kind::unpack:
      break;
  }
  return Step::failed;
}

Step Reader::take_lines(TailFile& file, const Plan& plan, ChunkRef chunk, const char* mark, std::size_t got) {
  const std::size_t mark_size = file.mark.size;
  if (got < mark_size) return Step::at_end;  // cut off under our hands: the next look shows it
  if (mark_size > 0 && mark_of({mark, mark_size}) != file.mark) return not_the_same(file, plan.size_before);
  got -= mark_size;
  if (got == 0) return Step::at_end;
  const std::string_view window(chunk->free_space(), got);
  BatchRef batch = services_.intake.batch(file.origin);
  Decoding* const decoding = begin_decoding(file, got);
  const Framed framed = frame_lines(*batch, window, file.offset, services_.loop.wall(), rules_, decoding);
  const std::uint64_t begin = file.offset;
  if (framed.used > 0) {
    char tail[2 * kMarkBytes];
    const std::size_t from_window = std::min(framed.used, kMarkBytes);
    std::memcpy(tail, mark, mark_size);
    std::memcpy(tail + mark_size, window.data() + framed.used - from_window, from_window);
    if (!keep_texts(*batch, chunk, framed.used, decoding)) return Step::no_room;
    file.mark = mark_of({tail, mark_size + from_window});
    file.line_end = 0;
    hand_over(file, std::move(batch), framed, begin + framed.used);
  }
  file.scanned = std::max(file.scanned, begin + got);
  return outcome(file);
}

void Reader::take_scan(TailFile& file, const char* data, std::size_t got) {
  if (const char* newline = find_newline(file.code, data, data + got, file.scanned)) {
    file.line_end = file.scanned + static_cast<std::uint64_t>(newline - data) + newline_size(file.code);
    file.scanned = file.line_end;
  } else {
    file.scanned += got;
  }
}

bool Reader::take_cut(TailFile& file, ChunkRef chunk, std::size_t got) {
  BatchRef batch = services_.intake.batch(file.origin);
  Framed framed;
  const std::uint64_t span = file.line_end - file.offset;
  Decoding* const decoding = begin_decoding(file, got);
  const Line line{{chunk->free_space(), got}, span - newline_size(file.code), span, file.offset};
  frame_line(*batch, line, services_.loop.wall(), rules_, framed, decoding);
  if (!keep_texts(*batch, chunk, got, decoding)) return false;
  hand_over(file, std::move(batch), framed, file.line_end);
  renew_mark(file);
  return true;
}

Decoding* Reader::begin_decoding(const TailFile& file, std::size_t bytes) {
  if (file.code == TextCode::utf8) return nullptr;
  decoding_->begin(file.code, bytes);
  return decoding_.get();
}

bool Reader::keep_texts(Batch& batch, const ChunkRef& chunk, std::size_t used, const Decoding* decoding) {
  if (decoding == nullptr) {
    batch.hold(chunk);
    chunk->used += static_cast<std::uint32_t>(used);
    return true;
  }
  // What was read is not needed any more: its space may be the one that is asked for here.
  const std::string_view texts = decoding->texts();
  const ChunkRef kept = services_.intake.room(texts.size());
  if (!kept) return false;
  char* const to = kept->free_space();
  std::memcpy(to, texts.data(), texts.size());
  kept->used += static_cast<std::uint32_t>(texts.size());
  for (Record& record : batch.records) record.data = to + (record.data - texts.data());
  batch.hold(kept);
  replaced_->add(decoding->replaced() - std::exchange(replaced_seen_, decoding->replaced()));
  return true;
}

void Reader::hand_over(TailFile& file, BatchRef batch, const Framed& framed, std::uint64_t end) {
  for (std::uint64_t i = 0; i < framed.cut; ++i) services_.intake.count_truncated();
  if (framed.dropped > 0) services_.intake.count_dropped("long_line", framed.dropped);
  const std::uint64_t before = std::exchange(file.offset, end);
  const std::uint64_t owed = std::exchange(file.owed_from, TailFile::kNothingOwed);
  const std::uint64_t begin = std::min(before, owed);
  file.scanned = std::max(file.scanned, end);
  if (file.line_end <= end) file.line_end = 0;
  bytes_ += end - begin;
  handing_over_ = joining_ ? nullptr : &file;
  services_.intake.deliver(std::move(batch), file.source, begin, end);
  handing_over_ = nullptr;
}

void Reader::renew_mark(TailFile& file) {
  char bytes[kMarkBytes];
  const std::size_t size = std::min<std::uint64_t>(kMarkBytes, file.offset);
  const std::size_t got = read_at(file.fd.get(), bytes, size, file.offset - size);
  file.mark = got == size ? mark_of({bytes, size}) : Mark{};
}

Step Reader::outcome(const TailFile& file) const {
  return file.seen_size > file.scanned || file.line_end > file.offset ? Step::more : Step::at_end;
}

// Also lets the head grow with the file.
bool Reader::check_head(TailFile& file, bool may_block) {
  if (file.head.size == 0) return true;
  char bytes[kHeadBytes];
  const std::size_t want = std::min<std::uint64_t>(kHeadBytes, std::max<std::uint64_t>(file.seen_size, file.head.size));
  std::size_t got = 0;
  if (may_block) {
    got = read_at(file.fd.get(), bytes, want, 0);
  } else {
    const iovec to{bytes, want};
    const Got read = devices_.read(file.id.dev, file.fd.get(), {&to, 1}, 0);
    if (read.kind != Got::Kind::bytes) return true;
    got = read.bytes;
  }
  const std::string_view content(bytes, got);
  if (got < file.head.size) return !may_block;
  if (!begins_with(content, file.head)) return false;
  if (got > file.head.size) file.head = head_of(content);
  return true;
}

bool Reader::still_same(TailFile& file) {
  if (!check_head(file, true)) return false;
  if (file.mark.size == 0) return true;
  char bytes[kMarkBytes];
  const std::size_t got = read_at(file.fd.get(), bytes, file.mark.size, file.offset - file.mark.size);
  return got == file.mark.size && mark_of({bytes, got}) == file.mark;
}

bool Reader::flush_partial(TailFile& file) {
  if (file.packed) return flush_packed(file);
  // Half a unit of UTF-16 at the end stays where it is, or what follows would be read askew.
  const std::uint64_t end = file.seen_size - file.seen_size % newline_size(file.code);
  if (end <= file.offset) return true;
  const std::uint64_t span = end - file.offset;
  const std::uint64_t want = std::min(span, rules_.limit + 1);
  ChunkRef chunk = services_.intake.room(want);
  if (!chunk) return false;
  const std::size_t got = read_at(file.fd.get(), chunk->free_space(), want, file.offset);
  if (got < want) return false;
  BatchRef batch = services_.intake.batch(file.origin);
  Framed framed;
  Decoding* const decoding = begin_decoding(file, got);
  const Line line{{chunk->free_space(), got}, span, span, file.offset};
  frame_line(*batch, line, services_.loop.wall(), rules_, framed, decoding);
  if (!keep_texts(*batch, chunk, got, decoding)) return false;
  hand_over(file, std::move(batch), framed, end);
  renew_mark(file);
  return true;
}

}  // namespace logweir::tail
