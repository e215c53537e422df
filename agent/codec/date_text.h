// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/clock.h"
#include "codec/encode.h"

namespace logweir {

// Value. Times as JSON values, quotes included where the format has them. Calendar work is done once per second.
class DateText {
 public:
  explicit DateText(DateFormat format) : format_(format) {}
  // Valid until the next call.
  [[nodiscard]] std::string_view of(Nanos time);

  static constexpr std::size_t kMost = 48;

 private:
  void begin_second(Nanos second);
  DateFormat format_;
  bool fresh_ = true;
  Nanos time_ = 0;
  Nanos second_ = 0;
  char text_[kMost];
  std::size_t whole_ = 0;  // up to the second
  std::size_t size_ = 0;
};

// "sec.nnnnnnnnn", nine digits. Returns the end; writes at most 32 bytes.
char* write_seconds(char* out, Nanos time);

}  // namespace logweir
