// SPDX-License-Identifier: Apache-2.0
#include "pipeline/router.h"

#include <algorithm>

namespace logweir {

const std::vector<std::size_t>& Router::lanes_for(const Tag& tag) {
  if (tag.id >= by_tag_.size()) by_tag_.resize(tag.id + 1);
  auto& slot = by_tag_[tag.id];
  if (!slot) {
    slot = std::make_unique<std::vector<std::size_t>>();
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i].matcher.matches(tag.text)) slot->push_back(i);
    }
    const auto times = slot->empty() ? unrouted_log_.pass(loop_.now()) : std::nullopt;
    if (times) {
      log_.warn(
          "no output's match takes the tag '{}': its records go nowhere and are counted as unrouted ({} such tags "
          "since the last such line)",
          tag.text, *times);
    }
  }
  return *slot;
}

const std::vector<Lane*>& Router::route(const BatchRef& batch) {
  reached_.clear();
  batch->sealed = true;
  const auto count = static_cast<std::uint32_t>(batch->records.size());
  if (count == 0) return reached_;
  const auto& lanes = lanes_for(*batch->origin->tag);
  if (lanes.empty()) {
    ledger_.counts.unrouted += count;
    unrouted_.add(count);
    return reached_;
  }
  ledger_.counts.made += static_cast<std::uint64_t>(count) * (lanes.size() - 1);
  const auto& source = *static_cast<const SourceState*>(batch->claim->source);
  const bool replay = batch->claim->begin < source.replay_below;
  for (const std::size_t index : lanes) {
    std::uint32_t first = 0;
    if (replay) {
      const std::uint64_t had = source.lanes[index].resume;
      first = static_cast<std::uint32_t>(
          std::partition_point(batch->records.begin(), batch->records.end(),
                               [had](const Record& record) { return record.position < had; }) -
          batch->records.begin());
      ledger_.counts.replayed += first;
    }
    reached_.push_back(targets_[index].lane);
    if (tap_ != nullptr && tap_->open()) {
      tap_->look(TapPoint::output, targets_[index].lane->name(), *batch, first, count);
    }
    if (first < count) targets_[index].lane->enqueue(batch, first, count);
  }
  return reached_;
}

}  // namespace logweir
