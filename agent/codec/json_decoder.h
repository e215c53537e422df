// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "codec/json_repair.h"
#include "codec/json_scan.h"
#include "codec/time_format.h"
#include "record/decoder.h"

namespace logweir {

// Resource. Lines that are one JSON object become Body::json over the same bytes. A repeated key's last value wins. No
// bytes are copied but for records that must be mended.
class JsonDecoder final : public Decoder {
 public:
  struct Time {
    std::string key;
    TimeFormat format;
    bool keep = false;
  };
  explicit JsonDecoder(std::optional<Time> time);
  Decoded decode(Batch& batch, Nanos now) override;

 private:
  bool parse(Batch& batch, Record& record, Decoded& done);
  bool mend(Batch& batch, std::string_view& object, Decoded& done);
  bool read_time(Batch& batch, Record& record, Nanos now);
  [[nodiscard]] std::optional<Nanos> time_of(std::string_view value, Nanos now);
  void cut(Batch& batch, Record& record, const JsonMember& member) const;

  const Kernel& kernel_ = kernel();
  std::optional<Time> time_;
  JsonScan scan_;
  JsonRepair repair_;
  std::string scratch_;
};

}  // namespace logweir
