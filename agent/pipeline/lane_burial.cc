// SPDX-License-Identifier: Apache-2.0
// Records that no retry will help: those the peer rejects, and those an output throws over.
#include "pipeline/lane.h"

namespace logweir {

// The output threw while it was offered what begins at `first`.
void Lane::contain(std::uint64_t first, std::string_view what) {
  std::uint64_t left = 0;
  for (const ShippingNode* node = sent_.tail(); node != nullptr && node->ordinal >= first; node = node->previous) {
    left += node->count();
  }
  if (left == 0) return;  // it had settled all before
  setup_.log.debug("the output threw over {} records: {}", left, what);
  const std::uint64_t from = left == 1 ? sent_.tail()->ordinal : first;
  settle(from, left == 1 ? 1 : next_ordinal_ - first, Outcome::poison, "poison", 0, what);
}

// Halves what is offered while the record to blame is among others, doubles it while all goes well.
void Lane::look_closer(std::uint64_t failed) {
  if (failed > 0) {
    cautious_ = std::max<std::uint64_t>(failed / 2, 1);
    after_turn_.want();
    return;
  }
  cautious_ *= 2;
  if (cautious_ >= static_cast<std::uint64_t>(setup_.options.batch_records)) cautious_ = 0;
}

void Lane::bury(ShippingNode* node, std::string_view reason, std::string_view answer) {
  if (setup_.burial == nullptr) {
    drop(node, reason, metrics_.rejected);
    return;
  }
  ShippingNode* at = burying_.tail();
  while (at != nullptr && node->before(*at)) at = at->previous;
  burying_.insert_before(node, at == nullptr ? burying_.head() : at->next);
  setup_.burial->bury({node->batch.get(), node->first, node->last}, {setup_.name, reason, answer},
                      [this, node, why = std::string(reason)](std::uint32_t stored) { buried(node, stored, why); });
}

void Lane::buried(ShippingNode* node, std::uint32_t stored, std::string_view reason) {
  burying_.remove(node);
  metrics_.rejected.add(node->count());
  if (stored > 0) {
    setup_.metrics
        .counter("logweir_dead_letter_records_total", "Records that were put into the dead letter store",
                 {{"component", setup_.name}, {"reason", std::string(reason)}})
        .add(stored);
    setup_.ledger.counts.dead_letter += stored;
  }
  if (stored < node->count()) count_dropped(node->count() - stored, reason);
  end_claim(node);
  update_full();
}

}  // namespace logweir
