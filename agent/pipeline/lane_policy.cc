// SPDX-License-Identifier: Apache-2.0
// What a lane gives up, and when: a full queue, records that are too old or not grave enough.
#include "pipeline/lane.h"

namespace logweir {

bool Lane::shedding() const {
  const auto percent = static_cast<std::uint64_t>(setup_.options.shed_above);
  return bytes_ > setup_.options.queue_bytes.value / 100 * percent;
}

// Runs of records alike: those that are grave enough are admitted, the others dropped.
void Lane::enqueue_severe(const BatchRef& batch, std::uint32_t first, std::uint32_t last) {
  while (first < last) {
    const bool shed = shedder_.sheds(*batch, batch->records[first]);
    std::uint32_t end = first + 1;
    while (end < last && shedder_.sheds(*batch, batch->records[end]) == shed) ++end;
    if (shed) {
      drop(make_node(batch, first, end), "shed", metrics_.dropped);
    } else {
      admit(batch, first, end);
    }
    first = end;
  }
}

void Lane::make_room(std::uint64_t incoming) {
  while (bytes_ > setup_.options.queue_bytes.value && waiting_.head() != waiting_.tail() && bytes_ > incoming) {
    ShippingNode* oldest = waiting_.head();
    take_waiting(oldest);
    drop(oldest, "queue_full", metrics_.dropped);
  }
}

// What is sent is the peer's to answer for; only what waits can be too old.
void Lane::expire() {
  const Nanos most = setup_.options.max_age.value;
  const Nanos now = setup_.loop.now();
  while (!waiting_.empty() && waiting_.head()->queued_at + most <= now) {
    ShippingNode* old = waiting_.head();
    take_waiting(old);
    drop(old, "max_age", metrics_.dropped);
  }
  update_full();
  if (waiting_.empty()) {
    if (!sent_.empty()) age_timer_.arm(now + most / 8 + kMillisecond, most / 8);  // they may come back
  } else {
    age_timer_.arm(waiting_.head()->queued_at + most, most / 8);
  }
}

}  // namespace logweir
