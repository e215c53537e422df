// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <string>

#include "codec/compress.h"

namespace logweir {

inline std::string packed(Compression kind, std::string text) {
  Compressor compressor(kind);
  const iovec piece{text.data(), text.size()};
  std::string out(compressor.bound(text.size()), '\0');
  out.resize(compressor.compress({&piece, 1}, out).value());
  return out;
}

}  // namespace logweir
