// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/encode.h"
#include "memory/pieces.h"
#include "plugin/output.h"

namespace logweir {

// Value. A place in a shipment; valid as long as the shipment is.
class ShipmentCursor {
 public:
  explicit ShipmentCursor(const Shipment& shipment) : shipment_(shipment) { skip_empty(); }

  [[nodiscard]] bool at_end() const { return part_ == shipment_.parts.size(); }
  [[nodiscard]] std::size_t part() const { return part_; }      // index of the current one
  [[nodiscard]] Part rest() const;                              // what is left of the current one
  [[nodiscard]] std::uint64_t taken() const { return taken_; }  // records passed so far
  [[nodiscard]] std::uint64_t ordinal() const { return shipment_.ordinal + taken_; }
  void advance(std::uint32_t records);  // within the current part

 private:
  void skip_empty();
  const Shipment& shipment_;
  std::size_t part_ = 0;
  std::uint32_t done_ = 0;  // of the current part
  std::uint64_t taken_ = 0;
};

// Value. Records [first, first + count) of a lane.
struct RecordRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// Resource. Between a shipment and a stream of bytes (a socket, a pipe, a file): encodes, and remembers which records
// end at which byte of the stream, so that they can be settled as the bytes get through. Bounded by what the owner
// fills in; allocates nothing in steady state. One thread.
class Outbox {
 public:
  Outbox(EncodeOptions options, OutputServices& services);

  // Encodes from the cursor on until `stop` bytes are waiting, part number `until` is reached or memory ends; moves
  // the cursor. Returns the number of records. None from a cursor with records left: the pool has no room.
  std::uint64_t fill(ShipmentCursor& cursor, std::size_t stop, std::size_t until = SIZE_MAX);
  // Bytes that were encoded and not yet written.
  [[nodiscard]] const Pieces& waiting() const { return pieces_; }
  void wrote(std::size_t bytes) {
    pieces_.consume(bytes);
    written_ += bytes;
  }
  // Stream positions, since the start or the last `restart`.
  [[nodiscard]] std::uint64_t written() const { return written_; }
  // Nothing is left to pop.
  [[nodiscard]] bool idle() const { return first_ == marks_.size(); }
  // Takes out the longest run of records without a gap whose bytes end at or below `position`; false: none.
  bool pop(std::uint64_t position, RecordRange& range);
  // The end of the last record at or below `position`, popped or not: where a torn stream may be cut.
  [[nodiscard]] std::uint64_t boundary(std::uint64_t position) const;
  // A new stream from position 0: forgets what waits and what was not popped.
  void restart();

  // For formats that number their lines per shipment.
  void begin_shipment() { encoder_.restart(); }

 private:
  // A run of records whose last byte lies before `end`. Runs are short (kStep), so that little is sent twice.
  struct Mark {
    std::uint64_t end;
    std::uint64_t first;
    std::uint64_t count;
  };
  void note(std::uint64_t first, std::uint64_t count);

  static constexpr std::size_t kStep = 16 * 1024;
  static constexpr std::size_t kMany = 256;  // from so many marks on, small ones are joined

  Encoder encoder_;
  Pieces pieces_;
  Counter& repaired_;
  std::uint64_t repaired_seen_ = 0;
  std::vector<Mark> marks_;  // from first_ on, in stream order
  std::size_t first_ = 0;
  std::uint64_t encoded_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t popped_ = 0;  // end of the last popped mark
};

}  // namespace logweir
