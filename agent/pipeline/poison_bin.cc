// SPDX-License-Identifier: Apache-2.0
#include "pipeline/poison_bin.h"

namespace logweir {

void PoisonBin::take(const Batch& batch, const Record& record, std::string_view component, std::string_view what) {
  const std::string name(component);
  if (const auto n = log_limit_.pass(setup_.loop.now())) {
    setup_.log.error("{} failed on a record, which is given up: {} ({} times since the last such line)", name, what,
                     *n);
  }
  if (setup_.burial == nullptr) return count_dropped(name);
  BatchRef alone = setup_.batches.make();
  alone->origin = batch.origin;
  alone->source = batch.source;
  for (const ChunkRef& chunk : batch.chunks) alone->chunks.push_back(chunk.share());
  alone->records.push_back(record);
  alone->records[0].fields = 0;
  const auto first = batch.fields.begin() + record.fields;
  if (record.field_count > 0) alone->fields.assign(first, first + record.field_count);
  held_.push_back({alone, batch.receipt, name});
  setup_.burial->bury({alone.get(), 0, 1}, {component, "poison", what},
                      [this, held = std::prev(held_.end())](std::uint32_t stored) { ended(held, stored > 0); });
}

void PoisonBin::ended(std::list<Held>::iterator held, bool stored) {
  if (stored) {
    setup_.metrics
        .counter("logweir_dead_letter_records_total", "Records that were put into the dead letter store",
                 {{"component", held->component}, {"reason", "poison"}})
        .add(1);
    setup_.ledger.counts.dead_letter += 1;
  } else {
    count_dropped(held->component);
  }
  held_.erase(held);
}

void PoisonBin::count_dropped(const std::string& component) {
  setup_.metrics
      .counter("logweir_dropped_records_total", "Records that were given up, by component and reason",
               {{"component", component}, {"reason", "poison"}})
      .add(1);
  setup_.ledger.counts.dropped += 1;
}

void PoisonBin::abandon() {
  for (Held& held : held_) held.receipt.forget();
  held_.clear();
}

}  // namespace logweir
