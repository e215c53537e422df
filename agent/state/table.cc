// SPDX-License-Identifier: Apache-2.0
#include "state/table.h"

namespace logweir {

void Turn::clear() {
  dropped.clear();
  positions.clear();
  facts.clear();
}

void Table::load(const std::vector<SavedPosition>& positions, const std::vector<SavedFact>& facts) {
  for (const SavedPosition& saved : positions) positions_[{saved.source, lane(saved.lane)}].position = saved.position;
  for (const SavedFact& saved : facts) facts_[{saved.instance, saved.key}].value = saved.value;
}

LaneKey Table::lane(std::string_view name) {
  if (const auto found = lane_keys_.find(name); found != lane_keys_.end()) return found->second;
  const auto key = static_cast<LaneKey>(lanes_.size());
  lanes_.emplace_back(name);
  lane_keys_.emplace(name, key);
  return key;
}

void Table::put_position(std::uint64_t source, LaneKey lane, std::uint64_t position) {
  const PositionKey key{source, lane};
  const auto [found, added] = positions_.try_emplace(key);
  PositionCell& cell = found->second;
  if (!added && cell.position == position) return;
  cell.position = position;
  mark(key, cell);
}

void Table::put_fact(std::string_view instance, std::string_view key, std::string_view value) {
  auto fact = fact_at(instance, key);
  if (fact == facts_.end()) {
    fact = facts_.emplace(FactName{std::string(instance), std::string(key)}, FactCell{}).first;
  } else if (!fact->second.gone && fact->second.value == value) {
    return;
  }
  fact->second.value = value;
  fact->second.gone = false;
  mark(fact);
}

void Table::drop_fact(std::string_view instance, std::string_view key) {
  const auto fact = fact_at(instance, key);
  if (fact == facts_.end() || fact->second.gone) return;
  fact->second.value.clear();
  fact->second.gone = true;
  mark(fact);
}

void Table::drop_source(std::uint64_t source) {
  bool known = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) known |= positions_.erase({source, static_cast<LaneKey>(i)}) > 0;
  if (known) dropped_.push_back(source);
}

void Table::take(Turn& turn) {
  turn.clear();
  turn.dropped.swap(dropped_);
  for (const PositionKey& key : dirty_positions_) {
    const auto found = positions_.find(key);
    if (found == positions_.end() || !found->second.dirty) continue;
    found->second.dirty = false;
    turn.positions.push_back(
        {key.source, key.lane, &lanes_[static_cast<std::size_t>(key.lane)], found->second.position});
  }
  dirty_positions_.clear();
  for (const auto& fact : dirty_facts_) {
    fact->second.dirty = false;
    turn.facts.push_back({fact->first.instance, fact->first.key, fact->second.value, fact->second.gone});
  }
  dirty_facts_.clear();
}

void Table::written(const Turn& turn) {
  for (const Turn::Fact& change : turn.facts) {
    if (!change.gone) continue;
    const auto fact = fact_at(change.instance, change.key);
    if (fact != facts_.end() && fact->second.gone && !fact->second.dirty) facts_.erase(fact);
  }
}

void Table::give_back(const Turn& turn) {
  dropped_.insert(dropped_.begin(), turn.dropped.begin(), turn.dropped.end());
  for (const Turn::Position& change : turn.positions) {
    const PositionKey key{change.source, change.key};
    if (const auto found = positions_.find(key); found != positions_.end()) mark(key, found->second);
  }
  for (const Turn::Fact& change : turn.facts) {
    if (const auto fact = fact_at(change.instance, change.key); fact != facts_.end()) mark(fact);
  }
}

void Table::mark_all() {
  for (auto& [key, cell] : positions_) mark(key, cell);
  for (auto fact = facts_.begin(); fact != facts_.end(); ++fact) mark(fact);
}

std::vector<SavedPosition> Table::positions() const {
  std::vector<SavedPosition> all;
  all.reserve(positions_.size());
  for (const auto& [key, cell] : positions_) {
    all.push_back({key.source, lanes_[static_cast<std::size_t>(key.lane)], cell.position});
  }
  return all;
}

std::vector<SavedFact> Table::facts() const {
  std::vector<SavedFact> all;
  all.reserve(facts_.size());
  for (const auto& [name, cell] : facts_) {
    if (!cell.gone) all.push_back({name.instance, name.key, cell.value});
  }
  return all;
}

void Table::mark(const PositionKey& key, PositionCell& cell) {
  if (cell.dirty) return;
  cell.dirty = true;
  dirty_positions_.push_back(key);
}

void Table::mark(Facts::iterator fact) {
  if (fact->second.dirty) return;
  fact->second.dirty = true;
  dirty_facts_.push_back(fact);
}

Table::Facts::iterator Table::fact_at(std::string_view instance, std::string_view key) {
  return facts_.find(FactView{instance, key});
}

}  // namespace logweir
