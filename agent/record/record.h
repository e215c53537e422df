// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"

namespace logweir {

// What `Record::data` is.
enum class Body : std::uint8_t {
  text,    // one string field, named by Origin::text_key; raw bytes, perhaps not UTF-8
  json,    // the text of one JSON object, validated, as it came; `fields` overlay it
  fields,  // no body: the record is its `fields`, in order
};

// Value. What a field holds. Text-like kinds look into one of the batch's chunks (or static storage).
struct Value {
  enum class Kind : std::uint8_t {
    null,
    boolean,   // integer != 0
    integer,   // signed, in `integer`
    uinteger,  // in `integer`, to be read as unsigned
    real,      // in `real`
    string,    // raw bytes in `text`, not escaped
    json,      // valid JSON text in `text`, copied out as it is (numbers keep their digits)
    removed,   // overlay only: the body's key of this name is cut out
  };
  Kind kind = Kind::null;
  std::string_view text;
  union {
    std::int64_t integer = 0;
    double real;
  };
};

// Value. `key` is raw bytes (not escaped); both views look into the batch's chunks or static storage. In the overlay
// of a JSON body a field replaces the body's key of the same name or is added behind it; `cut` is then the range of
// the body that belongs to the old one, key, colon, value and one comma included, and empty for an addition.
struct Field {
  std::string_view key;
  Value value;
  std::uint32_t cut_begin = 0;
  std::uint32_t cut_end = 0;
};

// Value. One log line as seen inside a Batch, which owns everything this looks at: `data` lies in one of its chunks, so
// vector code may read up to kChunkPadding bytes behind its end. 48 bytes.
struct Record {
  enum Flags : std::uint8_t {
    kTruncated = 1,    // cut at a size limit; encoders add `_truncated: true`
    kParseFailed = 2,  // no parser took it, it is kept as it came
  };
  Nanos time = 0;              // wall clock: of the event if parsed out, else when it was read
  const char* data = nullptr;  // see Body
  std::uint32_t size = 0;
  std::uint32_t span = 0;      // bytes of the source this came from, its newline included
  std::uint64_t position = 0;  // of its first byte in the source
  std::uint32_t fields = 0;    // index of the first one in Batch::fields
  std::uint16_t field_count = 0;
  Body body = Body::text;
  std::uint8_t flags = 0;
  // Of a JSON body: a Bloom filter of its top-level keys (codec/key_bits.h). All ones: nobody looked, so ask the body.
  std::uint64_t keys = ~std::uint64_t{0};

  [[nodiscard]] std::string_view text() const { return {data, size}; }
};
static_assert(sizeof(Record) == 48);

}  // namespace logweir
