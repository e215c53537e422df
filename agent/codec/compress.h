// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/status.h"

namespace logweir {

enum class Compression : unsigned char { none, gzip, zstd };

// Resource. Turns texts into compressed streams, each complete by itself; keeps its tables in between. Any thread, one
// at a time.
class Compressor {
 public:
  explicit Compressor(Compression kind);
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor();

  // What `bytes` may need at most, compressed.
  [[nodiscard]] std::size_t bound(std::size_t bytes) const;
  // One stream of all of `in`, written to `out`, which has its bound; returns its size.
  Result<std::size_t> compress(std::span<const iovec> in, std::span<char> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace logweir
