// SPDX-License-Identifier: Apache-2.0
#include "pipeline/chain.h"

#include <exception>

namespace logweir {

Chain::Chain(Metrics& metrics, Log log) : metrics_(metrics), log_(std::move(log)) {}

void Chain::add(Link link) {
  const Labels labels = {{"filter", link.name}};
  auto stage = std::make_unique<Stage>();
  stage->records = &metrics_.counter("logweir_filter_records_total", "Records a filter looked at", labels);
  stage->filtered = &metrics_.counter("logweir_filtered_records_total", "Records a filter took out", labels);
  stage->errors = &metrics_.counter("logweir_filter_errors_total", "Batches a filter failed on and passed on", labels);
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
  const std::size_t before = batch.records.size();
  for (Stage* stage : stages_for(*batch.origin->tag)) {
    if (batch.records.empty()) break;
    run(*stage, batch, wall);
  }
  return before - batch.records.size();
}

void Chain::run(Stage& stage, Batch& batch, Nanos wall) {
  const std::size_t before = batch.records.size();
  stage.records->add(before);
  try {
    stage.link.filter->apply(batch, wall);
  } catch (const std::exception& e) {
    stage.errors->add(1);
    if (const auto n = stage.error_log.pass(wall)) {
      log_.error("filter {} failed and let the batch pass: {} ({} times since the last such line)", stage.link.name,
                 e.what(), *n);
    }
  }
  stage.filtered->add(before - batch.records.size());
}

}  // namespace logweir
