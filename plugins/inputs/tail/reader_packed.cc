// SPDX-License-Identifier: Apache-2.0
// Compressed files: job threads make text of them, which is framed here.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "plugins/inputs/tail/reader.h"

namespace logweir::tail {

namespace {

constexpr std::size_t kText = 192 * 1024;  // made at a time
constexpr Nanos kQuiet = 5 * kSecond;      // what is not written for so long is taken to be ended

}  // namespace

Step Reader::step_packed(TailFile& file) {
  Packed& packed = *file.packed;
  struct stat st;
  if (fstat(file.fd.get(), &st) != 0) {
    error_ = errno;
    return Step::failed;
  }
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (size < packed.size) return Step::shrunk;
  if (size > packed.size) packed.at_end = false;
  packed.size = size;
  if (!check_head(file, false)) return Step::replaced;
  if (packed.damaged || packed.at_end) return Step::at_end;
  return begin_unpacking(file);
}

Step Reader::begin_unpacking(TailFile& file) {
  Packed& packed = *file.packed;
  if (!packed.unpacker && !can_unpack()) return Step::busy;
  auto read = std::make_shared<ColdRead>();  // shared by the two halves of one job; the second is the last
  read->held = packed.skipping ? 0 : packed.rest.size();
  const std::size_t want = std::max(kText, read->held);  // so that long lines grow by doubling
  read->chunk = services_.intake.own_room(read->held + want);
  if (!read->chunk) return Step::no_room;
  if (!packed.unpacker) packed.unpacker = std::make_shared<Unpacker>(packed.kind, packed.from, unpackers_);
  char* const space = read->chunk->free_space();
  if (read->held > 0) std::memcpy(space, packed.rest.data(), read->held);
  read->serial = file.serial;
  read->fd = file.fd.get();
  read->plan.kind = Plan::Kind::unpack;
  read->unpacker = packed.unpacker;
  file.cold = true;
  ColdRead* const lent = read.get();
  under_way_.push_back(lent);
  services_.jobs.run([lent, space, want] { lent->made = lent->unpacker->make(lent->fd, {space + lent->held, want}); },
                     [this, read] {
                       std::erase(under_way_, read.get());
                       finished_(*read);
                     });
  return Step::cold;
}

Step Reader::digest_packed(TailFile& file, ColdRead& read) {
  if (!file.packed || file.packed->unpacker != read.unpacker) return Step::more;  // begun anew meanwhile
  Packed& packed = *file.packed;
  if (read.made.error != 0) {
    error_ = read.made.error;
    return Step::failed;
  }
  const Unpacker& unpacker = *packed.unpacker;
  const std::uint64_t end = unpacker.text();
  const std::uint64_t begin = end - read.made.bytes;
  char* const made = read.chunk->free_space() + read.held;
  std::string_view window(made, read.made.bytes);
  if (begin == 0 && decoding_ != nullptr) {
    file.code = code_of(decoding_->options(), window).value_or(TextCode::utf8);
  }
  // An earlier run had this already, or it was handed over as an unfinished line.
  const std::uint64_t next = packed.next(file.offset);
  window.remove_prefix(begin < next ? std::min(next, end) - begin : 0);
  if (!window.empty()) {
    if (window.data() != made) std::memmove(made, window.data(), window.size());
    const std::string_view text(made - read.held, read.held + window.size());
    if (!take_text(file, read.chunk, text)) {
      packed.begin_anew();
      return Step::no_room;
    }
  }
  file.seen_size = file.scanned = std::max(end, file.offset);
  packed.at_end = read.made.at_end;
  if (!unpacker.damage().empty()) {
    packed.damaged = true;
    tell_damage(file, unpacker.damage());
    flush_packed(file);
  }
  return packed.at_end || packed.damaged ? at_packed_end(file) : Step::more;
}

// `window`, at the chunk's free space: what was held of the unfinished line, and the text behind it. False: no room.
bool Reader::take_text(TailFile& file, const ChunkRef& chunk, std::string_view window) {
  if (file.packed->skipping) return end_long_line(file, window);
  Decoding* const decoding = begin_decoding(file, window.size());
  BatchRef batch = services_.intake.batch(file.origin);
  const std::uint64_t begin = file.offset;
  const Framed framed = frame_lines(*batch, window, begin, services_.loop.wall(), rules_, decoding);
  if (framed.used > 0) {
    if (!keep_texts(*batch, chunk, framed.used, decoding)) return false;
    hand_over(file, std::move(batch), framed, begin + framed.used);
  }
  keep_rest(file, chunk, window.substr(framed.used));
  return true;
}

void Reader::keep_rest(TailFile& file, const ChunkRef& chunk, std::string_view rest) {
  Packed& packed = *file.packed;
  const std::uint64_t whole = rest.size();
  const bool too_long = whole > rules_.limit + 2 * newline_size(file.code);
  if (too_long) rest = rest.substr(0, rules_.limit);
  ChunkRef kept = rest.empty() ? ChunkRef() : services_.intake.exact_room(rest.size());
  if (kept) {
    std::memcpy(kept->data(), rest.data(), rest.size());
    kept->used = static_cast<std::uint32_t>(rest.size());
    rest = {kept->data(), rest.size()};
  } else if (!rest.empty()) {
    kept = chunk.share();  // it is charged already
  }
  packed.hold(std::move(kept), rest, whole);
  packed.skipping = too_long;
}

// More of a line that is too long. False: no room.
bool Reader::end_long_line(TailFile& file, std::string_view text) {
  Packed& packed = *file.packed;
  const std::uint64_t stands = packed.next(file.offset);
  const char* const newline = find_newline(file.code, text.data(), text.data() + text.size(), stands);
  if (newline == nullptr) {
    packed.whole += text.size();
    return true;
  }
  const std::size_t used = static_cast<std::size_t>(newline - text.data()) + newline_size(file.code);
  const std::string_view left = text.substr(used);
  const ChunkRef room = services_.intake.own_room(std::max<std::size_t>(left.size(), 1));
  if (!room) return false;
  packed.whole += used - newline_size(file.code);
  if (!flush_packed(file)) return false;
  hand_over(file, services_.intake.batch(file.origin), {}, stands + used);  // its newline
  std::memcpy(room->free_space(), left.data(), left.size());
  return left.empty() || take_text(file, room, {room->free_space(), left.size()});
}

// Hands over what is held of the unfinished line as a line of its own.
bool Reader::flush_packed(TailFile& file) {
  Packed& packed = *file.packed;
  const std::size_t size = packed.rest.size() - packed.rest.size() % newline_size(file.code);
  if (size == 0) return true;
  const ChunkRef chunk = services_.intake.own_room(size);
  if (!chunk) return false;
  std::memcpy(chunk->free_space(), packed.rest.data(), size);
  BatchRef batch = services_.intake.batch(file.origin);
  Framed framed;
  Decoding* const decoding = begin_decoding(file, size);
  const std::uint64_t whole = packed.skipping ? packed.whole : size;
  const Line line{{chunk->free_space(), size}, whole, whole, file.offset};
  frame_line(*batch, line, services_.loop.wall(), rules_, framed, decoding);
  if (!keep_texts(*batch, chunk, size, decoding)) return false;
  const std::string_view odd = packed.skipping ? std::string_view() : packed.rest.substr(size);
  packed.hold(odd.empty() ? ChunkRef() : std::move(packed.chunk), odd, odd.size());
  hand_over(file, std::move(batch), framed, file.offset + whole);
  file.seen_size = file.scanned = std::max(file.seen_size, file.offset);
  return true;
}

// Behind a whole member nothing but the place has to be remembered. Of those that end within one a few are kept, since
// they may be growing; the others will make that member's text once more.
Step Reader::at_packed_end(TailFile& file) {
  Packed& packed = *file.packed;
  const bool whole = packed.unpacker->at_boundary();
  struct stat st;
  if (!whole && !packed.damaged && !packed.told && fstat(file.fd.get(), &st) == 0 &&
      services_.loop.wall() - (st.st_mtim.tv_sec * kSecond + st.st_mtim.tv_nsec) > kQuiet) {
    packed.told = true;
    tell_damage(file, "it ends too early, unless it is still being written");
  }
  const bool keep =
      !whole && !packed.damaged && packed.kind == Compression::gzip && unpackers_.use_count() <= 1 + kMostUnpackers / 2;
  if (!keep) {
    packed.from = packed.unpacker->last_boundary();
    packed.unpacker.reset();
  }
  return Step::at_end;
}

void Reader::tell_damage(TailFile& file, std::string_view why) {
  services_.metrics
      .counter("logweir_input_damaged_files_total", "Compressed files with a damaged place: read as far as that",
               {{"input", services_.name}})
      .add(1);
  services_.log.error("{} is damaged behind {} bytes of its text: {}. What is in front of that is read", file.path,
                      file.seen_size, why);
}

}  // namespace logweir::tail
