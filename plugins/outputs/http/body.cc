// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/body.h"

#include <algorithm>

namespace logweir::http_out {

Body::Body(Pool& pool, Format format, Compression compression)
    : pool_(pool), format_(format), compression_(compression), compressor_(compression), text_(pool) {}

std::uint64_t Body::fill(Encoder& encoder, std::span<const Part> parts, Stretch stretch, std::size_t stop) {
  clear();
  const bool array = format_ == Format::json;
  if (array && !text_.append("[")) return 0;
  const std::uint64_t records = encode(encoder, parts, stretch, stop);
  if (records > 0 && array) {  // the comma behind the last one becomes the bracket
    const iovec& last = text_.front(SIZE_MAX).back();
    static_cast<char*>(last.iov_base)[last.iov_len - 1] = ']';
  }
  text_size_ = text_.size();
  return records;
}

bool Body::fill_text(std::string_view text) {
  clear();
  text_size_ = text.size();
  return text_.append(text);
}

std::uint64_t Body::encode(Encoder& encoder, std::span<const Part> parts, Stretch stretch, std::size_t stop) {
  std::uint64_t done = 0;
  for (Part part : parts) {
    if (stretch.skip >= part.count()) {
      stretch.skip -= part.count();
      continue;
    }
    part.first += static_cast<std::uint32_t>(stretch.skip);
    stretch.skip = 0;
    const std::uint64_t left = stretch.count - done;
    if (part.count() > left) part.last = part.first + static_cast<std::uint32_t>(left);
    if (part.count() == 0) break;
    const std::uint32_t written = encoder.encode(part, text_, stop);
    done += written;
    if (written < part.count()) break;
  }
  return done;
}

bool Body::prepare_compression() {
  if (compression_ == Compression::none) return false;
  room_ = pool_.take(Use::outflow, compressor_.bound(text_size_));
  return static_cast<bool>(room_);
}

bool Body::take_compressed() {
  if (!compressed_size_.ok()) {
    room_.reset();
    return false;
  }
  packed_ = {room_->data(), compressed_size_.value()};
  compressed_ = true;
  text_.clear();
  return true;
}

void Body::clear() {
  text_.clear();
  text_size_ = 0;
  room_.reset();
  compressed_ = false;
}

}  // namespace logweir::http_out
