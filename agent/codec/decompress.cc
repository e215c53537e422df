// SPDX-License-Identifier: Apache-2.0
#include "codec/decompress.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/check.h"

namespace logweir {

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr int kGzipWindow = 15 + 16;  // with gzip's header and checksum
constexpr int kZstdWindowLog = 23;    // what zstd's decoders must take at least

}  // namespace

std::optional<Compression> compression_of(std::string_view content) {
  for (const auto& [magic, kind] :
       {std::pair(kGzipMagic, Compression::gzip), std::pair(kZstdMagic, Compression::zstd)}) {
    if (content.starts_with(magic)) return kind;
    if (magic.starts_with(content)) return std::nullopt;
  }
  return Compression::none;
}

struct Decompressor::Impl {
  explicit Impl(Compression asked) : kind(asked) {
    LW_CHECK(kind != Compression::none);
    if (kind == Compression::gzip) {
      LW_CHECK(inflateInit2(&inflater, kGzipWindow) == Z_OK);
    } else {
      zstd = ZSTD_createDCtx();
      LW_CHECK(zstd != nullptr);
      ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, kZstdWindowLog);
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (kind == Compression::gzip) inflateEnd(&inflater);
    ZSTD_freeDCtx(zstd);
  }

  Status gzip(std::string_view in, std::span<char> out);
  Status zstandard(std::string_view in, std::span<char> out);

  const Compression kind;
  z_stream inflater{};
  ZSTD_DCtx* zstd = nullptr;
  bool boundary = true;
  bool padding = false;  // behind a gzip member: zeros may follow
  Step step;
};

Decompressor::Decompressor(Compression kind) : impl_(std::make_unique<Impl>(kind)) {}
Decompressor::~Decompressor() = default;

bool Decompressor::at_boundary() const { return impl_->boundary; }
const Decompressor::Step& Decompressor::last() const { return impl_->step; }

Result<Decompressor::Step> Decompressor::decompress(std::string_view in, std::span<char> out) {
  impl_->step = {};
  Status status = impl_->kind == Compression::gzip ? impl_->gzip(in, out) : impl_->zstandard(in, out);
  if (!status.ok()) return status;
  return impl_->step;
}

Status Decompressor::Impl::gzip(std::string_view in, std::span<char> out) {
  while (step.made < out.size() && (step.used < in.size() || !boundary)) {
    if (padding && in[step.used] == '\0') {
      ++step.used;
      continue;
    }
    padding = false;
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const std::size_t given = std::min(in.size() - step.used, kMost);
    const std::size_t room = std::min(out.size() - step.made, kMost);
    inflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data() + step.used));
    inflater.avail_in = static_cast<uInt>(given);
    inflater.next_out = reinterpret_cast<Bytef*>(out.data() + step.made);
    inflater.avail_out = static_cast<uInt>(room);
    const int code = inflate(&inflater, Z_NO_FLUSH);
    step.used += given - inflater.avail_in;
    step.made += room - inflater.avail_out;
    boundary = false;
    if (code == Z_STREAM_END) {
      inflateReset(&inflater);
      boundary = padding = true;
    } else if (code == Z_BUF_ERROR) {
      break;
    } else if (code != Z_OK) {
      return {Code::corrupt, std::string("it is no sound gzip: ") + (inflater.msg != nullptr ? inflater.msg
                                                                     : code == Z_NEED_DICT   ? "it needs a dictionary"
                                                                                             : "no reason given")};
    }
  }
  return {};
}

Status Decompressor::Impl::zstandard(std::string_view in, std::span<char> out) {
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  while (to.pos < to.size && (from.pos < from.size || !boundary)) {
    const std::size_t left = ZSTD_decompressStream(zstd, &to, &from);
    const auto [used, made] = std::exchange(step, Step{from.pos, to.pos});
    if (ZSTD_isError(left) != 0) {
      return {Code::corrupt, std::string("it is no sound zstd: ") + ZSTD_getErrorName(left)};
    }
    const bool stands = step.used == used && step.made == made;
    if (stands) break;
    boundary = left == 0;
  }
  return {};
}

}  // namespace logweir
