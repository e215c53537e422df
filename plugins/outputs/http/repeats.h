// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "plugins/outputs/http/body.h"

namespace logweir::http_out {

// Value. What requests that must go out again began with. The lane offers their records again at the head of a larger
// shipment; taking just as many makes the same body, and so the same idempotency key.
class Repeats {
 public:
  explicit Repeats(std::size_t most) : most_(most) {}
  void remember(const Part& first, std::uint64_t skip, std::uint64_t count);
  // How many records the request had that began with this part, and forgets it; `otherwise` when there was none.
  std::uint64_t take(const Part& first, std::uint64_t otherwise);

 private:
  struct Seen {
    const Batch* batch;
    Nanos read_at;  // another batch in the same place has another
    std::uint64_t first;
    std::uint64_t count;
  };
  std::size_t most_;
  std::deque<Seen> seen_;
};

// Value. What a body depends on beside its records.
struct KeyBasis {
  std::uint64_t form = 0;  // of the options that say how records are written
  bool timed = true;       // whether the record's time is, which may be that of reading
  std::uint64_t run = 0;   // tells agents and their runs apart, for records that have no id
};

// The same for the same ids in the same form, however the lane has cut them into parts, after a restart too; different
// for any other records, whatever they say.
std::string idempotency_key(std::span<const Part> parts, Stretch stretch, const KeyBasis& basis);

}  // namespace logweir::http_out
