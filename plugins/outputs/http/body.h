// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "codec/compress.h"
#include "codec/encode.h"
#include "memory/pieces.h"

namespace logweir::http_out {

// Value. Records [skip, skip + count) of a list of parts.
struct Stretch {
  std::uint64_t skip = 0;
  std::uint64_t count = 0;
};

// Resource. The text of one request, in pooled memory, compressed when asked for. On its loop's thread, but for
// `compress`, which a job thread may run while nobody else touches it.
class Body {
 public:
  Body(Pool& pool, Format format, Compression compression);

  // Encodes records of the stretch, from its begin on, until `stop` bytes are there or memory ends; how many.
  std::uint64_t fill(Encoder& encoder, std::span<const Part> parts, Stretch stretch, std::size_t stop);
  // The text as it is; false: memory ended.
  bool fill_text(std::string_view text);
  // Takes room for the compressed text; false: no compression is wanted, or there is no memory for it.
  bool prepare_compression();
  void compress() { compressed_size_ = compressor_.compress(text_.front(SIZE_MAX), {room_->data(), room_->capacity}); }
  // Keeps the compressed text and lets go of the other; false: it goes out as it was.
  bool take_compressed();

  [[nodiscard]] std::span<const iovec> pieces() const {
    return compressed_ ? std::span<const iovec>(&packed_, 1) : text_.front(SIZE_MAX);
  }
  [[nodiscard]] bool compressed() const { return compressed_; }
  [[nodiscard]] std::size_t text_size() const { return text_size_; }
  void clear();

 private:
  std::uint64_t encode(Encoder& encoder, std::span<const Part> parts, Stretch stretch, std::size_t stop);

  Pool& pool_;
  const Format format_;
  const Compression compression_;
  Compressor compressor_;
  Pieces text_;
  std::size_t text_size_ = 0;
  ChunkRef room_;
  Result<std::size_t> compressed_size_ = std::size_t{0};
  iovec packed_{};
  bool compressed_ = false;
};

}  // namespace logweir::http_out
