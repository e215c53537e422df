// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/fd.h"
#include "plugin/input.h"
#include "plugins/inputs/tail/exchange.h"
#include "plugins/inputs/tail/identity.h"
#include "plugins/inputs/tail/list.h"
#include "plugins/inputs/tail/packed.h"
#include "plugins/inputs/tail/text_code.h"

namespace logweir::tail {

// Value. A text that most files do not have; one pointer while it is empty.
class RareText {
 public:
  RareText& operator=(std::string text) {
    text_ = text.empty() ? nullptr : std::make_unique<std::string>(std::move(text));
    return *this;
  }
  [[nodiscard]] bool empty() const { return text_ == nullptr; }
  [[nodiscard]] std::string_view view() const { return text_ ? std::string_view(*text_) : std::string_view(); }
  [[nodiscard]] const std::string& or_else(const std::string& other) const { return text_ ? *text_ : other; }
  void clear() { text_.reset(); }

 private:
  std::unique_ptr<std::string> text_;
};

// Resource, owned by Files, on its worker's thread. One inode as a reader sees it: which generation of a stream it
// holds and how far that has been read.
//
//   [0 ........ offset)[offset .... scanned)[scanned ...... seen_size)
//      handed over       no newline in it        not looked at yet
//
// States; `before` and the flags are beside them:
//
//   held     may be a copy that copytruncate makes of another file: not read (copies.h says when that ends)
//   fresh    not opened yet, or empty so far: no generation
//   keeping  the generation's fact is on its way to the disk: nothing may be sent before it is there
//   ready    read whenever it changes
//
//   held -> fresh -> keeping -> ready -> fresh (truncated: the next epoch)
//   held, fresh -> ready (a generation is handed over to this copy); fresh -> ready (known from an earlier run)
//
// `before`: an older file of the stream that is not read to its end yet; this one waits until it is.
// A line split over a rotation: the older file ends without a newline, the younger one `joins` it and hands the whole
// line over as its first; `joined` says so in the older one, whose front part is done (`owed_from`) once that line is.
// `rotated`: younger ones have come, or no wanted name leads to it: followed until rotate_wait passes without news.
struct TailFile {
  static constexpr std::uint64_t kNothingOwed = UINT64_MAX;
  enum class State : unsigned char { held, fresh, keeping, ready };

  explicit TailFile(std::uint64_t serial_number) : serial(serial_number), turn(this), open(this), linger(this) {}

  // Who it is.
  const std::uint64_t serial;   // never used again on this worker
  FileNumber number = kNoFile;  // discovery's; none for a copy it has not told of
  Fd fd;
  Identity id;
  std::string path;
  RareText stream;  // empty: the path it was first seen under, which is `path` still
  RareText base;    // see Appeared
  RareText label;   // see Appeared
  std::atomic<bool>* changed = nullptr;

  // Its generation.
  State state = State::fresh;
  bool copy = false;
  TextCode code = TextCode::utf8;
  std::uint32_t epoch = 0;
  std::uint64_t uid = 0;  // 0: none yet
  std::uint64_t start = 0;
  std::int64_t born = 0;
  Head head;
  Mark mark;
  Source source = nullptr;
  OriginRef origin;
  std::uint64_t offset = 0;
  std::uint64_t scanned = 0;
  std::uint64_t line_end = 0;  // behind the newline that a scan found; 0: none found
  std::uint64_t seen_size = 0;
  std::uint64_t counted_unread = 0;  // as it stands in the gauge
  std::uint32_t kept_head = 0;       // head size that the stored fact has
  std::uint64_t kept_mark = 0;       // offset that the stored fact's mark has
  Joined joined;
  std::uint64_t owed_from = kNothingOwed;  // handed over as far as here; the rest up to `offset` went with a join
  std::uint64_t joins = 0;                 // serial of the older file whose last line our first one ends
  std::unique_ptr<Packed> packed;          // of a compressed file: see packed.h for what the sizes mean then
  std::unique_ptr<GenerationFact> known;   // until it is first opened

  bool wanted = true;
  bool gone = false;
  bool rotated = false;
  bool at_end = false;      // at the last look; what came since is heard of
  bool told = false;        // a change was heard of since the last look
  bool cold = false;        // a job thread is reading from `fd`
  bool fresh_name = false;  // came while we run
  Nanos last_news = 0;      // monotonic: bytes came, or it was rotated or held
  Nanos head_checked = 0;
  Nanos shrunk_since = 0;  // a smaller size is seen that is not believed yet
  Nanos open_failed = 0;   // when opening failed last
  TailFile* before = nullptr;
  TailFile* after = nullptr;

  Hook<TailFile> turn;    // in one of the queues
  Hook<TailFile> open;    // has a descriptor; least recently used first
  Hook<TailFile> linger;  // looked at by the clock

  [[nodiscard]] const std::string& stream_name() const { return stream.or_else(path); }
  // It has its stream's name: the one that is being written.
  [[nodiscard]] bool is_current() const { return !gone && wanted && path == stream_name(); }
  [[nodiscard]] std::uint64_t unread() const { return seen_size > offset ? seen_size - offset : 0; }
};

}  // namespace logweir::tail
