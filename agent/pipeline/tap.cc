// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tap.h"

#include <algorithm>

namespace logweir {

namespace {

EncodeOptions plain() {
  EncodeOptions options;
  options.format = Format::plain;
  return options;
}

}  // namespace

void Tap::start(TapOrder order) {
  if (orders_.size() == kMostOrders) orders_.erase(orders_.begin());
  orders_.push_back(std::move(order));
  if (!encoder_) encoder_ = std::make_unique<Encoder>(plain());
}

void Tap::stop(std::uint64_t id) {
  std::erase_if(orders_, [id](const TapOrder& order) { return order.id == id; });
  if (orders_.empty()) encoder_.reset();
}

void Tap::look(TapPoint point, std::string_view instance, Batch& batch, std::uint32_t first, std::uint32_t last) {
  const Nanos now = loop_.now();
  if (now - second_ >= kSecond) {
    second_ = now;
    told_ = 0;
    looked_ = 0;
  }
  for (TapOrder& order : orders_) {
    if (order.point == point && order.instance == instance) look(order, batch, first, last);
  }
}

void Tap::look(TapOrder& order, Batch& batch, std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t i = first; i < last && order.limit > 0; ++i) {
    if (told_ == kMostTold || looked_ == kMostLooked) return;
    ++looked_;
    const Record& record = batch.records[i];
    TappedRecord copy;
    if (record.size > kMostBody) {
      copy.body = R"({"_too_large":)" + std::to_string(record.size) + "}";
    } else if (!body_of(batch, i, copy.body)) {
      return;
    }
    if (!order.match.empty() && copy.body.find(order.match) == std::string::npos) continue;
    copy.tag = batch.origin->tag->text;
    copy.time = record.time;
    ++told_;
    --order.limit;
    order.tell(std::move(copy));
  }
}

// False when there is no memory for it now.
bool Tap::body_of(Batch& batch, std::uint32_t index, std::string& body) {
  Pieces pieces(pool_);
  if (encoder_->encode({&batch, index, index + 1}, pieces, SIZE_MAX) != 1) return false;
  for (const iovec& piece : pieces.front(SIZE_MAX))
    body.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  // A JSON body is as it came, perhaps in several lines. In JSON these bytes can only be blanks.
  std::replace_if(body.begin(), body.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  while (!body.empty() && body.back() == ' ') body.pop_back();
  return true;
}

}  // namespace logweir
