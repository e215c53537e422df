// SPDX-License-Identifier: Apache-2.0
#include "state/state.h"

#include "base/check.h"
#include "state/keeper.h"

namespace logweir {

struct State::Impl {
  Impl(const Options& options, Log log) : keeper(options, std::move(log)) {}

  Keeper keeper;
  Saved opened;
};

State::State(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

State::~State() = default;

Result<std::unique_ptr<State>> State::open(const Options& options, Log log) {
  auto impl = std::make_unique<Impl>(options, std::move(log));
  if (Status opened = impl->keeper.open(impl->opened); !opened.ok()) return opened;
  return std::unique_ptr<State>(new State(std::move(impl)));
}

const std::vector<SavedPosition>& State::positions() const { return impl_->opened.positions; }

const std::vector<SavedFact>& State::facts() const { return impl_->opened.facts; }

void State::forget_opened() { impl_->opened = Saved(); }

std::vector<SavedPosition> State::latest_positions() const {
  return impl_->keeper.look([](const Table& table) { return table.positions(); });
}

std::vector<SavedFact> State::latest_facts() const {
  return impl_->keeper.look([](const Table& table) { return table.facts(); });
}

LaneKey State::lane(std::string_view name) {
  LaneKey key{};
  impl_->keeper.change([&](Table& table) { key = table.lane(name); });
  return key;
}

void State::put_position(std::uint64_t source, LaneKey lane, std::uint64_t position) {
  impl_->keeper.change([&](Table& table) { table.put_position(source, lane, position); });
}

void State::put_position(std::uint64_t source, std::string_view lane, std::uint64_t position) {
  impl_->keeper.change([&](Table& table) { table.put_position(source, table.lane(lane), position); });
}

void State::put_fact(std::string_view instance, std::string_view key, std::string_view value) {
  LW_CHECK(value.size() <= kLongestFact);
  impl_->keeper.change([&](Table& table) { table.put_fact(instance, key, value); });
}

void State::drop_fact(std::string_view instance, std::string_view key) {
  impl_->keeper.change([&](Table& table) { table.drop_fact(instance, key); });
}

void State::drop_source(std::uint64_t source) {
  impl_->keeper.change([&](Table& table) { table.drop_source(source); });
}

void State::barrier(std::function<void()> done) { impl_->keeper.barrier(std::move(done)); }

std::string State::fault() const { return impl_->keeper.fault(); }

State::Stats State::stats() const { return impl_->keeper.stats(); }

}  // namespace logweir
