// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "codec/decompress.h"

using namespace logweir;

namespace {

constexpr std::size_t kMost = 1 << 20;

// What comes out of `in`, fed and taken in steps; the first bytes of a bomb are enough.
std::string unpacked(Compression kind, std::string_view in, std::size_t step, std::size_t room) {
  Decompressor stream(kind);
  std::string all;
  std::string space(room, '\0');
  while (all.size() < kMost) {
    const auto done = stream.decompress(in.substr(0, step), space);
    const Decompressor::Step& last = stream.last();
    if (last.used > std::min(step, in.size()) || last.made > room) std::abort();
    all.append(space, 0, last.made);
    in.remove_prefix(last.used);
    if (!done.ok() || (last.used == 0 && last.made == 0)) break;
  }
  return all.substr(0, kMost);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Compression kind = data[0] % 2 == 0 ? Compression::gzip : Compression::zstd;
  const std::size_t step = 1 + data[1];
  const std::string_view in(reinterpret_cast<const char*>(data) + 2, size - 2);
  (void)compression_of(in);
  const std::string whole = unpacked(kind, in, in.size() + 1, 65'536);
  const std::string pieces = unpacked(kind, in, step, 1000);
  // A damaged place may be seen earlier or later, but the texts are the same as far as both go.
  const std::size_t common = std::min(whole.size(), pieces.size());
  if (whole.compare(0, common, pieces, 0, common) != 0) std::abort();
  return 0;
}
