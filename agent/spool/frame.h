// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "memory/account.h"
#include "record/batch.h"
#include "spool/format.h"

namespace logweir {

// A frame's payload: a run of one batch's records.
//
//   payload := source:u64 origin record:36* field:24* text*
//   origin  := size:u32 tag_size:u32 text_key_size:u32 offset_key_size:u32 attached:u32 (key_size:u32 value_size:u32)*
//              tag text_key offset_key (key value)*      size: of all that follows it
//   record  := time:i64 position:u64 keys:u64 size:u32 span:u32 field_count:u16 body:u8 flags:u8
//   field   := value:u64 key_size:u32 cut_begin:u32 cut_end:u32 kind:u32    value: of a text its size
//   text*   := per record its data, then per field of it the key and, if it is one, the value's text
//
// Texts stand one behind the other in the order of their heads, so that one copy brings all of them into memory.

// Value. What becomes of the next records of a part: so many of them make a frame of that size.
struct FramePlan {
  std::uint32_t records = 0;  // 0: the first one alone is larger than any frame may be
  std::uint32_t fields = 0;
  std::size_t bytes = 0;  // of the frame, a multiple of 8
  std::uint32_t padding = 0;
};

// Value. What the writer wants to find in a frame: SpoolWriter::mark, dense sequence numbers, the wall clock.
struct FrameStamp {
  std::uint64_t mark = 0;
  std::uint64_t sequence = 0;
  Nanos wall = 0;
};

constexpr std::size_t kFrameTarget = 1 << 20;

// As many records from the first on as keep the frame within `most` bytes, but at least one.
[[nodiscard]] FramePlan plan_frame(const Part& part, std::size_t most = kFrameTarget);
// Writes plan.bytes bytes, whose plan was made of this part.
void encode_frame(const Part& part, const FramePlan& plan, const FrameStamp& stamp, char* out);

// Value. An origin as a frame holds it; looks into the frame.
struct StoredOrigin {
  std::string_view tag;
  std::string_view text_key;
  std::string_view offset_key;
  std::vector<std::pair<std::string_view, std::string_view>> attached;
  std::string_view bytes;  // all of it: equal bytes, equal origins
};

// Interface. Knows tags by their text.
class OriginSource {
 public:
  virtual ~OriginSource() = default;
  virtual OriginRef origin(const StoredOrigin& stored) = 0;
};

// The records of a frame whose checks held (SegmentReader), as an open batch without a receipt; its texts are a copy in
// one chunk. Code::full: the pool has no room for `use`, try again later; Code::corrupt: the frame makes no sense.
// `bytes` begins with the frame's head. The worker's thread, like the pool.
Result<BatchRef> decode_frame(std::string_view bytes, BatchPool& batches, OriginSource& origins, Use use);
// The same; the texts go into `room` where they fit, else into a new chunk, which is the room for the next frame. Many
// small frames then share their memory.
Result<BatchRef> decode_frame(std::string_view bytes, BatchPool& batches, OriginSource& origins, Use use,
                              ChunkRef& room);

}  // namespace logweir
