// SPDX-License-Identifier: Apache-2.0
#include "pipeline/chain.h"

namespace logweir {

Chain::Chain(Metrics& metrics, Poison poison) : metrics_(metrics), poison_(std::move(poison)) {}

void Chain::add(Link link) {
  const Labels labels = {{"filter", link.name}};
  auto stage = std::make_unique<Stage>();
  stage->records = &metrics_.counter("logweir_filter_records_total", "Records a filter looked at", labels);
  stage->filtered = &metrics_.counter("logweir_filtered_records_total", "Records a filter took out", labels);
  stage->errors =
      &metrics_.counter("logweir_filter_errors_total", "Records a filter failed on; they are given up", labels);
  stage->link = std::move(link);
  stages_.push_back(std::move(stage));
}

Status Chain::open() {
  for (const auto& stage : stages_) {
    FilterServices services{stage->link.log, metrics_, stage->link.name};
    Status status = stage->link.filter->open(services);
    if (!status.ok()) return std::move(status).while_doing("opening filter " + stage->link.name);
  }
  return {};
}

void Chain::close() {
  for (const auto& stage : stages_) stage->link.filter->close();
}

const std::vector<Chain::Stage*>& Chain::stages_for(const Tag& tag) {
  if (tag.id >= by_tag_.size()) by_tag_.resize(tag.id + 1);
  auto& slot = by_tag_[tag.id];
  if (!slot) {
    slot = std::make_unique<std::vector<Stage*>>();
    for (const auto& stage : stages_) {
      if (stage->link.matcher.matches(tag.text)) slot->push_back(stage.get());
    }
  }
  return *slot;
}

std::uint64_t Chain::apply(Batch& batch, Nanos wall) {
  if (stages_.empty()) return 0;
  std::uint64_t filtered = 0;
  for (Stage* stage : stages_for(*batch.origin->tag)) {
    if (batch.records.empty()) break;
    filtered += run(*stage, batch, wall);
  }
  return filtered;
}

std::uint64_t Chain::run(Stage& stage, Batch& batch, Nanos wall) {
  const std::size_t before = batch.records.size();
  std::uint64_t poisoned = 0;
  stage.records->add(before);
  contained(
      batch, spare_, [&](Batch& open) { stage.link.filter->apply(open, wall); },
      [&](const Batch& open, const Record& record, std::string_view what) {
        ++poisoned;
        poison_(open, record, stage.link.name, what);
      });
  if (poisoned > 0) stage.errors->add(poisoned);
  const std::uint64_t filtered = before - batch.records.size() - poisoned;
  stage.filtered->add(filtered);
  if (tap_ != nullptr && tap_->open()) {
    tap_->look(TapPoint::filter, stage.link.name, batch, 0, static_cast<std::uint32_t>(batch.records.size()));
  }
  return filtered;
}

}  // namespace logweir
