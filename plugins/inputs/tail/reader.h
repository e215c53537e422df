// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plugin/input.h"
#include "plugins/inputs/tail/device.h"
#include "plugins/inputs/tail/file.h"
#include "plugins/inputs/tail/framing.h"

namespace logweir::tail {

// What one step of reading found.
enum class Step : unsigned char {
  more,      // there is more to read
  at_end,    // all that was there has been read; a partial last line may be left
  cold,      // a job thread is at it
  busy,      // too many compressed files are being read already
  no_room,   // the pool has none; the engine resumes us
  shrunk,    // the file is smaller than it was
  replaced,  // its bytes are not what they were: truncated and filled anew
  failed,    // it can't be read; errno in `error()`
};

// Resource, one per worker. Reads files from where they are left off, frames lines and hands them over. A partial last
// line is not kept: it is read again from its start when there is more of it; once it is long, only what came is
// looked at for its end, and then it is read as a whole. Nothing it reads stays in memory unless it was handed over.
class Reader {
 public:
  // `finished`: a cold read of that file has ended; the owner looks the file up and calls `digest`, unless it is gone.
  struct ColdRead;
  // `decoding`: null when all files are UTF-8.
  Reader(InputServices& services, LineRules rules, std::unique_ptr<Decoding> decoding,
         std::function<void(ColdRead&)> finished);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Reads one window; `file.fd` is open and no cold read is under way.
  Step step(TailFile& file);
  Step digest(TailFile& file, ColdRead& read);
  // Whether head and mark are still there. May block for a moment; for when a change brought no new bytes.
  [[nodiscard]] bool still_same(TailFile& file);
  // Hands over what stands behind the last line end as a line of its own.
  bool flush_partial(TailFile& file);
  // Hands over the first line of `file`, whose end was found, behind what the fronts end with, the oldest first.
  bool join(TailFile& file, const std::vector<TailFile*>& fronts);
  // The line that `older` begins is done where it ends.
  void settle_join(TailFile& older);
  // The file goes away while a cold read of it may be under way: the read keeps its descriptor.
  void abandon(TailFile& file);
  // Whether another compressed file may be begun.
  [[nodiscard]] bool can_unpack() const { return unpackers_.use_count() <= kMostUnpackers; }
  // While a batch is handed over: its file, unless part of the batch is in another one.
  [[nodiscard]] const TailFile* handing_over() const { return handing_over_; }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // handed over, ever
  [[nodiscard]] bool is_remote(const TailFile& file) { return devices_.is_remote(file.id.dev, file.fd.get()); }

 private:
  struct Plan {
    enum class Kind : unsigned char { lines, scan, cut, unpack };
    Kind kind = Kind::lines;
    std::uint64_t at = 0;
    std::size_t want = 0;
    std::uint64_t size_before = 0;  // of the file, as last seen to be what it was
  };
  static constexpr long kMostUnpackers = 4;  // zstd needs 8 MB for each

  static Step not_the_same(TailFile& file, std::uint64_t size_before);
  [[nodiscard]] Plan plan(const TailFile& file) const;
  Step read_inline(TailFile& file, const Plan& plan);
  Step read_cold(TailFile& file, const Plan& plan);
  Step take(TailFile& file, const Plan& plan, ChunkRef chunk, const char* mark, std::size_t got);
  Step take_lines(TailFile& file, const Plan& plan, ChunkRef chunk, const char* mark, std::size_t got);
  static void take_scan(TailFile& file, const char* data, std::size_t got);
  bool take_cut(TailFile& file, ChunkRef chunk, std::size_t got);
  // The decoding that reads of this file go through; null: none.
  Decoding* begin_decoding(const TailFile& file, std::size_t bytes);
  // Gives the records' texts, or the bytes they look into, to the batch. False: no room.
  bool keep_texts(Batch& batch, const ChunkRef& chunk, std::size_t used, const Decoding* decoding);
  // Compressed files (reader_packed.cc).
  Step step_packed(TailFile& file);
  Step begin_unpacking(TailFile& file);
  Step digest_packed(TailFile& file, ColdRead& read);
  bool take_text(TailFile& file, const ChunkRef& chunk, std::string_view window);
  bool end_long_line(TailFile& file, std::string_view text);
  void keep_rest(TailFile& file, const ChunkRef& chunk, std::string_view rest);
  bool flush_packed(TailFile& file);
  Step at_packed_end(TailFile& file);
  void tell_damage(TailFile& file, std::string_view why);

  void hand_over(TailFile& file, BatchRef batch, const Framed& framed, std::uint64_t end);
  void renew_mark(TailFile& file);
  [[nodiscard]] Step outcome(const TailFile& file) const;
  [[nodiscard]] bool check_head(TailFile& file, bool may_block);

  InputServices& services_;
  LineRules rules_;
  std::unique_ptr<Decoding> decoding_;
  Counter* replaced_ = nullptr;
  std::uint64_t replaced_seen_ = 0;
  std::function<void(ColdRead&)> finished_;
  Devices devices_;
  std::vector<ColdRead*> under_way_;
  std::shared_ptr<int> unpackers_ = std::make_shared<int>();  // each unpacker has a share
  const TailFile* handing_over_ = nullptr;
  bool joining_ = false;
  int error_ = 0;
  std::uint64_t bytes_ = 0;
};

// Resource. A read under way on a job thread; it owns all that the thread looks at.
struct Reader::ColdRead {
  std::uint64_t serial = 0;
  int fd = -1;  // the file's
  Fd kept;      // the same descriptor, when the file went away meanwhile
  Plan plan;
  ChunkRef chunk;
  std::array<char, kMarkBytes> mark;
  std::size_t mark_size = 0;
  Got got;
  std::shared_ptr<Unpacker> unpacker;  // of a compressed file
  std::size_t held = 0;                // bytes of an unfinished line in front of what it makes
  Unpacker::Made made;
};

}  // namespace logweir::tail
