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

// The same for the same records, however the lane has cut them into parts; different for any others, whatever they
// say. `seed` tells agents and their runs apart.
std::string idempotency_key(std::span<const Part> parts, Stretch stretch, std::uint64_t seed);

}  // namespace logweir::http_out
