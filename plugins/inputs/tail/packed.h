// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "codec/decompress.h"
#include "memory/chunk.h"

namespace logweir::tail {

struct TailOptions;

// What the options and the first bytes say of a file. Nothing: there are too few of them.
std::optional<Compression> compression_at(const TailOptions& options, std::string_view content);

// Where a whole member (or frame) ends: a place to begin at again.
struct Boundary {
  std::uint64_t packed = 0;  // in the file
  std::uint64_t text = 0;
};

// Resource. Reads a compressed file from a boundary on. A job thread's while a read is under way, else the worker's.
class Unpacker {
 public:
  // `share` is kept as long as this lives.
  Unpacker(Compression kind, Boundary from, std::shared_ptr<int> share)
      : share_(std::move(share)), stream_(kind), at_(from.packed), text_(from.text), boundary_(from) {}

  struct Made {
    std::size_t bytes = 0;
    bool at_end = false;  // of what the file holds now
    int error = 0;        // errno: it could not be read
  };
  // Makes text until `to` is full or the file ends. Blocking.
  Made make(int fd, std::span<char> to);
  [[nodiscard]] std::uint64_t text() const { return text_; }           // the end of what was made
  [[nodiscard]] const std::string& damage() const { return damage_; }  // empty: none
  [[nodiscard]] bool at_boundary() const { return stream_.at_boundary(); }
  [[nodiscard]] Boundary last_boundary() const { return boundary_; }

 private:
  std::shared_ptr<int> share_;
  Decompressor stream_;
  std::uint64_t at_;  // in the file
  std::uint64_t text_;
  Boundary boundary_;
  std::string damage_;
};

// Resource, a part of a TailFile whose positions count in the text. `seen_size` and `scanned` are then the end of the
// text that was made so far, and what is unread is the unfinished line, which is kept here.
struct Packed {
  explicit Packed(Compression of) : kind(of) {}

  const Compression kind;
  std::uint64_t size = 0;              // of the file
  std::shared_ptr<Unpacker> unpacker;  // shared with a read under way; none: begins anew at `from`
  Boundary from;
  ChunkRef chunk;           // holds the unfinished line
  std::string_view rest;    // its front, at most the longest line's length and some
  std::uint64_t whole = 0;  // its length
  bool skipping = false;    // it is too long: only its end is looked for
  bool told = false;        // that it ends too early
  bool damaged = false;     // nothing behind this is to be had
  bool at_end = false;      // of the file, when it had `size`

  // Where the text goes on behind what is held.
  [[nodiscard]] std::uint64_t next(std::uint64_t offset) const { return offset + whole; }
  // Reads it again from the last boundary, for what is not held any more.
  void begin_anew() {
    unpacker.reset();
    hold({}, {}, 0);
  }
  void hold(ChunkRef of, std::string_view line, std::uint64_t length) {
    chunk = std::move(of);
    rest = line;
    whole = length;
    skipping = false;
  }
};

}  // namespace logweir::tail
