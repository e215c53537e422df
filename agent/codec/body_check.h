// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codec/json_scan.h"
#include "codec/kernel.h"
#include "record/record.h"

namespace logweir {

// Resource. Encoders take for granted that a body of JSON was found valid when it was read. Of one that comes from a
// disk a checksum does not say who wrote it.
class BodyCheck {
 public:
  // What is not valid becomes text; its fields, which overlay a valid body, are left out.
  void distrust(Record& record) {
    if (record.body != Body::json || kernel_.scan_object(record.data, record.data + record.size, scan_)) return;
    record.body = Body::text;
    record.field_count = 0;
  }

 private:
  const Kernel& kernel_ = kernel();
  JsonScan scan_;
};

}  // namespace logweir
