// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "wire/http_client.h"

namespace logweir::http_out {

// Value. The servers, best first, and which one is in use: after a failure the next; back to the best after a while,
// and after a longer while each time that it fails again.
class Endpoints {
 public:
  explicit Endpoints(std::vector<HttpServerName> list) : list_(std::move(list)) {}

  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] const HttpServerName& operator[](std::size_t index) const { return list_[index]; }
  // The one for the next request.
  [[nodiscard]] std::size_t current(Nanos now) {
    if (at_ != 0 && now >= back_at_) at_ = 0;
    return at_;
  }
  void failed(std::size_t index, Nanos now) {
    if (index == 0) {
      back_at_ = now + wait_;
      wait_ = std::min(2 * wait_, kLongest);
    }
    if (index == at_) at_ = (at_ + 1) % list_.size();
  }
  void worked(std::size_t index) {
    if (index == 0) wait_ = kShortest;
  }

 private:
  static constexpr Nanos kShortest = 30 * kSecond;
  static constexpr Nanos kLongest = 480 * kSecond;
  std::vector<HttpServerName> list_;
  std::size_t at_ = 0;
  Nanos back_at_ = 0;
  Nanos wait_ = kShortest;
};

}  // namespace logweir::http_out
