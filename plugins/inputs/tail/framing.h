// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "plugins/inputs/tail/text_code.h"
#include "record/batch.h"

namespace logweir::tail {

// Value. What becomes of lines.
struct LineRules {
  std::uint64_t limit = 1024 * 1024;  // longest line, its end not counted
  bool skip_empty = false;
  bool skip_long = false;  // drop instead of cut
};

// Value. What one framing made of its bytes.
struct Framed {
  std::size_t used = 0;  // bytes of whole lines
  std::uint64_t cut = 0;
  std::uint64_t dropped = 0;
};

// Appends a record for each whole line of `window`, which stands at `position` of its file; records look into it. The
// line end (\n or \r\n) and a byte order mark at position 0 are not part of the text; all else is kept as it is. With a
// `decoding` that has begun the window is in its code, and records look into its texts.
Framed frame_lines(Batch& batch, std::string_view window, std::uint64_t position, Nanos now, const LineRules& rules,
                   Decoding* decoding = nullptr);

// Value. One line, without its newline.
struct Line {
  std::string_view text;
  std::uint64_t whole = 0;  // its length, when `text` is only the front of it
  std::uint64_t span = 0;   // bytes of the file, from `position`
  std::uint64_t position = 0;
};
void frame_line(Batch& batch, const Line& line, Nanos now, const LineRules& rules, Framed& framed,
                Decoding* decoding = nullptr);

}  // namespace logweir::tail
