// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ledger.h"

#include <algorithm>
#include <random>

#include "base/check.h"

namespace logweir {

LedgerCounts& LedgerCounts::operator+=(const LedgerCounts& other) {
  recovered += other.recovered;
  read += other.read;
  made += other.made;
  merged += other.merged;
  filtered += other.filtered;
  unrouted += other.unrouted;
  replayed += other.replayed;
  delivered += other.delivered;
  dropped += other.dropped;
  dead_letter += other.dead_letter;
  waiting += other.waiting;
  return *this;
}

namespace {

constexpr std::size_t kLongestName = 512;
constexpr std::size_t kKeptRoom = 1024;

std::unique_ptr<char[]> copy_of(std::string_view text) {
  std::unique_ptr<char[]> copy(new char[text.size() + 1]);
  *std::copy(text.begin(), text.end(), copy.get()) = '\0';
  return copy;
}

std::uint64_t random_id() {
  std::random_device random;
  return (static_cast<std::uint64_t>(random()) << 32) ^ random();
}

}  // namespace

Ledger::Ledger(std::vector<std::string> lanes, State* state)
    : lane_ids_(std::move(lanes)), state_(state), next_id_(random_id()) {
  if (state_ == nullptr) return;
  for (const std::string& lane : lane_ids_) lane_keys_.push_back(state_->lane(lane));
  for (const SavedPosition& saved : state_->positions()) {
    const auto at = std::find(lane_ids_.begin(), lane_ids_.end(), saved.lane);
    if (at == lane_ids_.end()) continue;
    saved_[saved.source].emplace_back(static_cast<std::size_t>(at - lane_ids_.begin()), saved.position);
  }
}

Ledger::~Ledger() = default;

SourceState* Ledger::open(std::uint64_t uid, std::uint64_t start, std::string_view name) {
  auto owned = std::make_unique<SourceState>();
  SourceState* source = owned.get();
  source->uid = uid;
  source->name = copy_of(name.substr(0, kLongestName));
  source->id = uid != 0 ? uid : next_id_++;
  // A lane that the checkpoint does not know (a new output) starts with the one that is furthest behind: nothing that
  // anybody still waits for is skipped, and what all others had is not sent again.
  std::uint64_t least = start;
  const auto known = uid != 0 ? saved_.find(uid) : saved_.end();
  if (known != saved_.end()) {
    least = UINT64_MAX;
    for (const auto& [lane, position] : known->second) least = std::min(least, position);
  }
  source->lanes.resize(lane_ids_.size());
  for (SourceState::Lane& lane : source->lanes) lane.prefix = lane.resume = least;
  if (known != saved_.end()) {
    for (const auto& [lane, position] : known->second) {
      source->lanes[lane].prefix = source->lanes[lane].resume = position;
      source->replay_below = std::max(source->replay_below, position);
    }
    saved_.erase(known);
  }
  source->read_to = least;
  if (uid != 0 && source->replay_below == 0) {
    // Where a new source starts is kept at once: a start at the end of a file must survive a crash before its first
    // line.
    for (SourceState::Lane& lane : source->lanes) lane.dirty = true;
    mark(*source);
  }
  source->index = static_cast<std::uint32_t>(sources_.size());
  sources_.push_back(std::move(owned));
  return source;
}

std::uint64_t Ledger::start_of(const SourceState& source) { return source.read_to; }

std::uint64_t Ledger::prefix_of(const SourceState& source) {
  std::uint64_t least = UINT64_MAX;
  for (const SourceState::Lane& lane : source.lanes) least = std::min(least, lane.prefix);
  return least;
}

std::vector<SourceReport> Ledger::report(std::size_t most) const {
  std::vector<std::pair<std::uint64_t, const SourceState*>> all;
  for (const auto& source : sources_) {
    if (source->second_of == nullptr) all.emplace_back(source->read_to - prefix_of(*source), source.get());
  }
  const auto behind = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->id < b.second->id;
  };
  const std::size_t count = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), behind);
  std::vector<SourceReport> reports;
  for (std::size_t i = 0; i < count; ++i) {
    const SourceState& source = *all[i].second;
    SourceReport& report = reports.emplace_back();
    report.id = source.id;
    report.kept = source.uid != 0;
    report.name = source.name.get();
    report.read_to = source.read_to;
    for (const SourceState::Lane& lane : source.lanes) report.prefixes.push_back(lane.prefix);
  }
  return reports;
}

void Ledger::close(SourceState* source, bool forget, std::function<void()> finished) {
  source->closing = true;
  source->forget = forget;
  source->finished = std::move(finished);
  maybe_finish(*source);
}

Receipt* Ledger::take_receipt() {
  if (free_receipts_.empty()) {
    all_receipts_.push_back(std::make_unique<Receipt>());
    all_receipts_.back()->keeper = this;
    all_receipts_.back()->owed.resize(lane_ids_.size());
    all_receipts_.back()->reached.resize(lane_ids_.size());
    free_receipts_.reserve(all_receipts_.size());
    return all_receipts_.back().get();
  }
  Receipt* receipt = free_receipts_.back();
  free_receipts_.pop_back();
  return receipt;
}

ReceiptRef Ledger::begin(SourceState& source, std::uint64_t begin, std::uint64_t end) {
  LW_CHECK(begin <= end && begin >= source.read_to && !source.closing);
  Receipt* receipt = take_receipt();
  receipt->source = &source;
  receipt->next = nullptr;
  receipt->begin = begin;
  receipt->end = end;
  receipt->is_routed = false;
  std::fill(receipt->reached.begin(), receipt->reached.end(), begin);
  source.read_to = end;
  if (source.tail != nullptr) {
    source.tail->next = receipt;
  } else {
    source.head = receipt;
  }
  source.tail = receipt;
  for (SourceState::Lane& lane : source.lanes) {
    if (lane.cursor == nullptr) lane.cursor = receipt;
  }
  return ReceiptRef(receipt);
}

void Ledger::settled(Receipt& receipt, std::size_t lane) {
  LW_CHECK(receipt.owed[lane] > 0);
  auto& source = *static_cast<SourceState*>(receipt.source);
  if (--receipt.owed[lane] > 0 || !receipt.is_routed || source.lanes[lane].cursor != &receipt) return;
  advance(source, lane);
  retire_heads(source);
}

void Ledger::progress(Receipt& receipt, std::size_t lane, std::uint64_t position) {
  LW_CHECK(position <= receipt.end);
  receipt.reached[lane] = std::max(receipt.reached[lane], position);
  auto& source = *static_cast<SourceState*>(receipt.source);
  if (source.lanes[lane].cursor == &receipt) advance(source, lane);
}

void Ledger::routed(Receipt& receipt) {
  receipt.is_routed = true;
  auto& source = *static_cast<SourceState*>(receipt.source);
  for (std::size_t lane = 0; lane < source.lanes.size(); ++lane) {
    if (source.lanes[lane].cursor == &receipt) advance(source, lane);
  }
  retire_heads(source);
}

void Ledger::advance(SourceState& source, std::size_t index) {
  SourceState::Lane& lane = source.lanes[index];
  while (lane.cursor != nullptr && lane.cursor->is_routed && lane.cursor->owed[index] == 0) {
    lane.cursor = lane.cursor->next;
  }
  std::uint64_t reached = source.read_to;
  if (const Receipt* open = lane.cursor) {
    // Before it is routed, somebody upstream may still hold records of it that no lane has seen.
    reached = open->is_routed ? std::max(open->begin, open->reached[index]) : open->begin;
  }
  if (lane.second != nullptr) reached = std::min(reached, lane.second->lanes[index].prefix);
  if (reached <= lane.prefix) return;
  lane.prefix = reached;
  lane.dirty = true;
  mark(source);
  if (source.second_of != nullptr && source.second_lane == index) advance(*source.second_of, index);
}

void Ledger::retire_heads(SourceState& source) {
  const auto waited_for = [&source](const Receipt* receipt) {
    return std::any_of(source.lanes.begin(), source.lanes.end(),
                       [receipt](const SourceState::Lane& lane) { return lane.cursor == receipt; });
  };
  while (source.head != nullptr && !waited_for(source.head)) {
    Receipt* done = source.head;
    source.head = done->next;
    if (source.head == nullptr) source.tail = nullptr;
    free_receipts_.push_back(done);
  }
  maybe_finish(source);
}

void Ledger::mark(SourceState& source) {
  if (source.uid == 0 || source.queued || state_ == nullptr) return;
  source.queued = true;
  moved_.push_back(&source);
  if (heard_) heard_();
}

void Ledger::checkpoint() {
  for (SourceState* source : moved_) {
    source->queued = false;
    for (std::size_t i = 0; i < source->lanes.size(); ++i) {
      if (!std::exchange(source->lanes[i].dirty, false)) continue;
      state_->put_position(source->uid, lane_keys_[i], source->lanes[i].prefix);
    }
  }
  moved_.clear();
  if (moved_.capacity() > kKeptRoom) moved_ = std::vector<SourceState*>();
}

void Ledger::maybe_finish(SourceState& source) {
  if (!source.closing || source.head != nullptr || source.seconds > 0) return;
  if (SourceState* const first = source.second_of) {
    const std::size_t lane = source.second_lane;
    first->lanes[lane].second = nullptr;
    --first->seconds;
    --seconds_;
    remove(source);
    advance(*first, lane);
    retire_heads(*first);
    return;
  }
  if (source.queued) {
    checkpoint();
  }
  if (source.forget && state_ != nullptr && source.uid != 0) state_->drop_source(source.uid);
  const std::function<void()> finished = std::move(source.finished);
  remove(source);
  if (finished) finished();
}

void Ledger::remove(SourceState& source) {
  const std::uint32_t index = source.index;
  sources_.back()->index = index;
  std::swap(sources_[index], sources_.back());
  sources_.pop_back();
}

SourceState* Ledger::open_second(SourceState& source, std::size_t lane, std::uint64_t from) {
  SourceState*& second = source.lanes[lane].second;
  if (second != nullptr) {  // what an earlier one read is still under way
    second->closing = false;
    if (from > second->read_to) begin(*second, second->read_to, from);
    return second;
  }
  auto owned = std::make_unique<SourceState>();
  owned->id = source.id;
  owned->name = copy_of(source.name.get());
  owned->lanes.resize(lane_ids_.size());
  for (SourceState::Lane& each : owned->lanes) each.prefix = from;
  owned->read_to = from;
  owned->second_of = &source;
  owned->second_lane = lane;
  owned->index = static_cast<std::uint32_t>(sources_.size());
  second = owned.get();
  ++source.seconds;
  ++seconds_;
  sources_.push_back(std::move(owned));
  return second;
}

void Ledger::close_second(SourceState& second) {
  second.closing = true;
  maybe_finish(second);
}

}  // namespace logweir
