// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "codec/body_check.h"
#include "codec/encode.h"
#include "memory/pieces.h"
#include "record/batch.h"
#include "record/record_id.h"

namespace logweir {

// Resource. Turns the frames of a spool into lines of JSON:
//
//   {"output":"peer","tag":"t","id":"00000000000000ab-10","time":"2023-11-14T22:13:20.123456789Z","record":{...}}
//
// with no id where the source has none. One thread; takes as much memory as its largest frame needs, within bounds.
class SpoolLines {
 public:
  SpoolLines() : budget_(kMemory), account_(budget_), pool_(account_), batches_(pool_), encoder_(plain()) {}

  // Tells each record of a frame that was read undamaged, without a newline; false from `tell` ends it. The line is
  // valid during the call. Code::corrupt: the frame makes no sense; Code::full: it needs more than the memory there is.
  Status each(std::string_view frame, const std::string& output, const std::function<bool(std::string_view)>& tell);

 private:
  static constexpr std::uint64_t kMemory = std::uint64_t{2} << 30;  // a bound: as much again as 64 MiB can become

  static EncodeOptions plain() {
    EncodeOptions options;
    options.format = Format::plain;
    return options;
  }
  void begin_line(const Batch& batch, const Record& record, const std::string& output);
  bool add_record(Batch& batch, std::uint32_t index);

  Budget budget_;
  Account account_;
  Pool pool_;
  BatchPool batches_;
  Encoder encoder_;
  Ordinals ordinals_;
  BodyCheck bodies_;
  std::string line_;
};

}  // namespace logweir
