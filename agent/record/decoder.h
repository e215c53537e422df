// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "record/batch.h"

namespace logweir {

// Value. What one pass of a decoder did.
struct Decoded {
  std::uint64_t parsed = 0;
  std::uint64_t failed = 0;       // kept as they came, flagged kParseFailed
  std::uint64_t time_failed = 0;  // parsed, but their time was not; they keep the time of reading
  std::uint64_t repaired = 0;     // parsed, but ill-formed parts were replaced or repeated keys dropped
};

// Interface. Turns text bodies of an open batch into structured records, in place. May throw nothing; a line it can't
// take stays a text record. One object serves one worker's thread (it may keep scratch memory).
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Looks at every record that is still Body::text and not kParseFailed. `now`: wall clock, for times without a year.
  virtual Decoded decode(Batch& batch, Nanos now) = 0;
};

}  // namespace logweir
