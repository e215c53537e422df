// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "plugin/input.h"
#include "record/decoder.h"

namespace logweir::stdin_in {

// Resource. Cuts a stream of bytes into lines, in place, and delivers them. An unfinished line is moved to the front of
// the chunk that is read into next; the rest of one that is too long is passed over.
class LineFramer {
 public:
  struct Setup {
    Intake& intake;
    const Clock& clock;
    OriginRef origin;
    Source source;
    std::size_t limit;  // longest line
    Decoder* decoder;   // null: lines stay text
  };
  explicit LineFramer(Setup setup) : setup_(std::move(setup)) {}
  LineFramer(const LineFramer&) = delete;
  LineFramer& operator=(const LineFramer&) = delete;

  // Where the next bytes go; empty: no memory now.
  std::span<char> space();
  // `size` bytes are at the start of what `space` gave last. Delivers every line that is now whole.
  void received(std::size_t size);
  // Nothing more will come: what is left is a line.
  void finish();

 private:
  static constexpr std::size_t kLeastRead = 4096;
  void take(const char* from, const char* to, std::size_t span, bool cut);
  void deliver();
  [[nodiscard]] char* held() const { return chunk_->free_space(); }

  Setup setup_;
  ChunkRef chunk_;              // records look into what is used; behind that lies the unfinished line
  std::size_t held_ = 0;        // bytes of the unfinished line
  bool skipping_ = false;       // to the end of a line that was cut
  std::uint64_t begin_ = 0;     // of the batch under way
  std::uint64_t position_ = 0;  // in the stream, of the unfinished line
  BatchRef batch_;
};

}  // namespace logweir::stdin_in
