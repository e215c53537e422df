// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/packed.h"

#include <array>
#include <cerrno>

#include "plugins/inputs/tail/device.h"
#include "plugins/inputs/tail/options.h"

namespace logweir::tail {

namespace {

constexpr std::size_t kRead = 64 * 1024;

}  // namespace

std::optional<Compression> compression_at(const TailOptions& options, std::string_view content) {
  switch (options.compressed) {
    case Compressed::off:
      break;
    case Compressed::gzip:
      return Compression::gzip;
    case Compressed::zstd:
      return Compression::zstd;
    case Compressed::automatic:
      return compression_of(content);
  }
  return Compression::none;
}

Unpacker::Made Unpacker::make(int fd, std::span<char> to) {
  Made made;
  std::array<char, kRead> packed;
  while (made.bytes < to.size() && damage_.empty()) {
    const iovec space{packed.data(), packed.size()};
    const Got got = read_blocking(fd, {&space, 1}, at_);
    if (got.kind == Got::Kind::failed) {
      made.error = got.error;
      break;
    }
    const auto step = stream_.decompress({packed.data(), got.bytes}, to.subspan(made.bytes));
    if (!step.ok()) damage_ = step.status().message();
    const Decompressor::Step& done = stream_.last();
    at_ += done.used;
    text_ += done.made;
    made.bytes += done.made;
    if (stream_.at_boundary()) boundary_ = {at_, text_};
    made.at_end = done.used == 0 && done.made == 0;
    if (made.at_end) break;
  }
  return made;
}

}  // namespace logweir::tail
