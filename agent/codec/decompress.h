// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/status.h"
#include "codec/compress.h"

namespace logweir {

// What a file that begins with `content` is, by its magic number. Nothing: there is too little of it to say.
std::optional<Compression> compression_of(std::string_view content);

// Resource. Takes a compressed stream apart, gzip members or zstd frames one behind the other, in steps of any size.
// Its memory is bounded: some 50 KB for gzip, 8 MB for zstd (a frame that wants a larger window is refused). Any
// thread, one at a time.
class Decompressor {
 public:
  explicit Decompressor(Compression kind);  // gzip or zstd
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor();

  struct Step {
    std::size_t used = 0;  // of `in`
    std::size_t made = 0;  // in `out`
  };
  // Goes on until `in` is used up and nothing is left inside, or `out` is full. Fails at a damaged place; `last()` says
  // how far it got then.
  Result<Step> decompress(std::string_view in, std::span<char> out);
  [[nodiscard]] const Step& last() const;
  // Whether a stream may end here: at the start, or behind a whole member or frame.
  [[nodiscard]] bool at_boundary() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace logweir
