// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "record/batch.h"

namespace logweir {

// Value. The id of a record as text, the same each time the record is sent, never that of another one:
//
//   id := source "-" position [ "-" ordinal ]
//
// source: the uid of the file generation, or of the connection, 16 hex digits; position: of its first byte there, hex
// without leading zeros; ordinal: which one of the records that came from that position, when it is not the first.
class RecordId {
 public:
  RecordId(std::uint64_t source, std::uint64_t position, std::uint32_t ordinal = 0) {
    hex(source, 16);
    put('-');
    hex(position, 1);
    if (ordinal == 0) return;
    put('-');
    hex(ordinal, 1);
  }
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

  static constexpr std::size_t kMost = 16 + 1 + 16 + 1 + 8;

 private:
  void put(char c) { text_[size_++] = c; }
  void hex(std::uint64_t value, int least) {
    int digits = 16;
    while (digits > least && (value >> (4 * (digits - 1))) == 0) --digits;
    while (digits-- > 0) put("0123456789abcdef"[(value >> (4 * digits)) & 15]);
  }
  std::array<char, kMost> text_;
  std::size_t size_ = 0;
};

// Value. The ordinals of a batch's records, asked for in any order; in theirs each costs the same.
class Ordinals {
 public:
  void restart() { last_ = nullptr; }  // before another batch, or the same one changed
  // How many records before this one came from the same place.
  std::uint32_t of(const Batch& batch, const Record& record) {
    const Record* const first = batch.records.data();
    std::uint32_t ordinal = 0;
    for (const Record* at = &record; at != first && at[-1].position == record.position; --at) {
      if (at - 1 == last_) {
        ordinal += ordinal_ + 1;
        break;
      }
      ++ordinal;
    }
    last_ = &record;
    ordinal_ = ordinal;
    return ordinal;
  }

 private:
  const Record* last_ = nullptr;
  std::uint32_t ordinal_ = 0;
};

}  // namespace logweir
