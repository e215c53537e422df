// SPDX-License-Identifier: Apache-2.0
#include "state/table.h"

#include <algorithm>

namespace logweir {

namespace {

constexpr std::size_t kKeptRoom = 1024;

// Empties it; what a burst took (10,000 files at start) is not kept for ever.
template <typename T>
void let_go(std::vector<T>& list) {
  list.clear();
  if (list.capacity() > kKeptRoom) list = std::vector<T>();
}

}  // namespace

void Turn::clear() {
  let_go(dropped);
  let_go(positions);
  let_go(facts);
}

std::uint32_t NameNumbers::number(std::string_view name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(names_.size());
  numbers_.emplace(names_.emplace_back(name), number);
  return number;
}

Table::FactRow::FactRow(std::uint32_t instance, std::string_view key, std::string_view value)
    : text_(new char[key.size() + value.size()]),
      instance_(instance),
      key_size_(static_cast<std::uint32_t>(key.size())),
      value_size_(static_cast<std::uint32_t>(value.size())) {
  std::copy(value.begin(), value.end(), std::copy(key.begin(), key.end(), text_.get()));
}

void Table::FactRow::set_value(std::string_view value) const {
  if (value.size() != value_size_) {
    std::unique_ptr<char[]> text(new char[key_size_ + value.size()]);
    std::copy_n(text_.get(), key_size_, text.get());
    text_ = std::move(text);
    value_size_ = static_cast<std::uint32_t>(value.size());
  }
  std::copy(value.begin(), value.end(), text_.get() + key_size_);
}

void Table::load(const std::vector<SavedPosition>& positions, const std::vector<SavedFact>& facts) {
  for (const SavedPosition& saved : positions) positions_[{saved.source, lane(saved.lane)}].position = saved.position;
  for (const SavedFact& saved : facts) {
    const auto [fact, added] = facts_.emplace(instances_.number(saved.instance), saved.key, saved.value);
    if (!added) fact->set_value(saved.value);
  }
}

LaneKey Table::lane(std::string_view name) { return LaneKey{lanes_.number(name)}; }

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
    fact = facts_.emplace(instances_.number(instance), key, value).first;
  } else if (!fact->gone && fact->value() == value) {
    return;
  } else {
    fact->set_value(value);
    fact->gone = false;
  }
  mark(fact);
}

void Table::drop_fact(std::string_view instance, std::string_view key) {
  const auto fact = fact_at(instance, key);
  if (fact == facts_.end() || fact->gone) return;
  fact->set_value({});
  fact->gone = true;
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
        {key.source, key.lane, &lanes_[static_cast<std::uint32_t>(key.lane)], found->second.position});
  }
  let_go(dirty_positions_);
  for (const auto& fact : dirty_facts_) {
    fact->dirty = false;
    turn.facts.push_back(
        {&instances_[fact->instance()], std::string(fact->key()), std::string(fact->value()), fact->gone});
  }
  let_go(dirty_facts_);
}

void Table::written(const Turn& turn) {
  for (const Turn::Fact& change : turn.facts) {
    if (!change.gone) continue;
    const auto fact = fact_at(*change.instance, change.key);
    if (fact != facts_.end() && fact->gone && !fact->dirty) facts_.erase(fact);
  }
}

void Table::give_back(const Turn& turn) {
  dropped_.insert(dropped_.begin(), turn.dropped.begin(), turn.dropped.end());
  for (const Turn::Position& change : turn.positions) {
    const PositionKey key{change.source, change.key};
    if (const auto found = positions_.find(key); found != positions_.end()) mark(key, found->second);
  }
  for (const Turn::Fact& change : turn.facts) {
    if (const auto fact = fact_at(*change.instance, change.key); fact != facts_.end()) mark(fact);
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
    all.push_back({key.source, lanes_[static_cast<std::uint32_t>(key.lane)], cell.position});
  }
  return all;
}

std::vector<SavedFact> Table::facts() const {
  std::vector<SavedFact> all;
  all.reserve(facts_.size());
  for (const FactRow& row : facts_) {
    if (row.gone) continue;
    all.push_back({instances_[row.instance()], std::string(row.key()), std::string(row.value())});
  }
  return all;
}

void Table::mark(const PositionKey& key, PositionCell& cell) {
  if (cell.dirty) return;
  cell.dirty = true;
  dirty_positions_.push_back(key);
}

void Table::mark(Facts::iterator fact) {
  if (fact->dirty) return;
  fact->dirty = true;
  dirty_facts_.push_back(fact);
}

Table::Facts::iterator Table::fact_at(std::string_view instance, std::string_view key) {
  return facts_.find(FactName{instances_.number(instance), key});
}

}  // namespace logweir
