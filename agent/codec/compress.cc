// SPDX-License-Identifier: Apache-2.0
#include "codec/compress.h"

#include <zlib.h>
#include <zstd.h>

#include <limits>
#include <string>

#include "base/check.h"

namespace logweir {

namespace {

// Log lines repeat themselves so much that higher levels win little and cost a multiple.
constexpr int kGzipLevel = 3;
constexpr int kZstdLevel = 3;
constexpr int kGzipWindow = 15 + 16;  // with gzip's header and checksum

Status failed(std::string_view library, std::string_view why) {
  return {Code::io, std::string(library) + " could not compress a body: " + std::string(why)};
}

}  // namespace

struct Compressor::Impl {
  explicit Impl(Compression asked) : kind(asked) {
    if (kind == Compression::gzip) {
      LW_CHECK(deflateInit2(&deflater, kGzipLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    } else if (kind == Compression::zstd) {
      zstd = ZSTD_createCCtx();
      LW_CHECK(zstd != nullptr);
      ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, kZstdLevel);
      ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (kind == Compression::gzip) deflateEnd(&deflater);
    ZSTD_freeCCtx(zstd);
  }

  Result<std::size_t> gzip(std::span<const iovec> in, std::span<char> out);
  Result<std::size_t> zstandard(std::span<const iovec> in, std::span<char> out);

  const Compression kind;
  z_stream deflater{};
  ZSTD_CCtx* zstd = nullptr;
};

Compressor::Compressor(Compression kind) : impl_(std::make_unique<Impl>(kind)) {}
Compressor::~Compressor() = default;

std::size_t Compressor::bound(std::size_t bytes) const {
  if (impl_->kind == Compression::gzip) {
    deflateReset(&impl_->deflater);  // at a stream's end zlib forgets gzip's header, and says too little
    return deflateBound(&impl_->deflater, bytes);
  }
  return impl_->kind == Compression::zstd ? ZSTD_compressBound(bytes) : bytes;
}

Result<std::size_t> Compressor::compress(std::span<const iovec> in, std::span<char> out) {
  LW_CHECK(impl_->kind != Compression::none);
  return impl_->kind == Compression::gzip ? impl_->gzip(in, out) : impl_->zstandard(in, out);
}

Result<std::size_t> Compressor::Impl::gzip(std::span<const iovec> in, std::span<char> out) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  if (out.size() > kMost) return failed("zlib", "it is larger than 4 GiB");
  deflateReset(&deflater);
  deflater.next_out = reinterpret_cast<Bytef*>(out.data());
  deflater.avail_out = static_cast<uInt>(out.size());
  for (const iovec& piece : in) {
    if (piece.iov_len > kMost) return failed("zlib", "a part of it is larger than 4 GiB");
    deflater.next_in = static_cast<Bytef*>(piece.iov_base);
    deflater.avail_in = static_cast<uInt>(piece.iov_len);
    if (deflate(&deflater, Z_NO_FLUSH) != Z_OK || deflater.avail_in != 0) return failed("zlib", "no room");
  }
  if (deflate(&deflater, Z_FINISH) != Z_STREAM_END) return failed("zlib", "no room");
  return out.size() - deflater.avail_out;
}

Result<std::size_t> Compressor::Impl::zstandard(std::span<const iovec> in, std::span<char> out) {
  ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  for (const iovec& piece : in) {
    ZSTD_inBuffer from{piece.iov_base, piece.iov_len, 0};
    while (from.pos < from.size) {
      const std::size_t left = ZSTD_compressStream2(zstd, &to, &from, ZSTD_e_continue);
      if (ZSTD_isError(left) != 0) return failed("zstd", ZSTD_getErrorName(left));
      if (to.pos == to.size && from.pos < from.size) return failed("zstd", "no room");
    }
  }
  ZSTD_inBuffer none{nullptr, 0, 0};
  const std::size_t left = ZSTD_compressStream2(zstd, &to, &none, ZSTD_e_end);
  if (ZSTD_isError(left) != 0) return failed("zstd", ZSTD_getErrorName(left));
  if (left != 0) return failed("zstd", "no room");
  return to.pos;
}

}  // namespace logweir
