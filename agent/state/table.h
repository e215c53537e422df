// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "state/state.h"

namespace logweir {

// Value. What one write turn changes on disk: first the drops, then the rest.
struct Turn {
  struct Position {
    std::uint64_t source;
    LaneKey key;
    const std::string* lane;  // the table's, which never lets go of a lane
    std::uint64_t position;
  };
  struct Fact {
    std::string instance;
    std::string key;
    std::string value;
    bool gone;
  };
  std::vector<std::uint64_t> dropped;
  std::vector<Position> positions;
  std::vector<Fact> facts;

  [[nodiscard]] bool empty() const { return dropped.empty() && positions.empty() && facts.empty(); }
  void clear();
};

// Resource, a member of State, under its mutex. All that the file shall hold, and which of it is not written yet.
// Since everything is here, a file that was lost or damaged under way can be written anew.
class Table {
 public:
  void load(const std::vector<SavedPosition>& positions, const std::vector<SavedFact>& facts);

  LaneKey lane(std::string_view name);
  void put_position(std::uint64_t source, LaneKey lane, std::uint64_t position);
  void put_fact(std::string_view instance, std::string_view key, std::string_view value);
  void drop_fact(std::string_view instance, std::string_view key);
  void drop_source(std::uint64_t source);

  [[nodiscard]] bool pending() const { return !dropped_.empty() || !dirty_positions_.empty() || !dirty_facts_.empty(); }
  void take(Turn& turn);             // what is pending; it counts as written then
  void written(const Turn& turn);    // it is
  void give_back(const Turn& turn);  // it could not be: pending again, in its newest form
  void mark_all();                   // the file is new, or nobody knows what it holds

  [[nodiscard]] std::vector<SavedPosition> positions() const;
  [[nodiscard]] std::vector<SavedFact> facts() const;

 private:
  struct PositionKey {
    std::uint64_t source;
    LaneKey lane;
    bool operator==(const PositionKey&) const = default;
  };
  struct PositionHash {
    std::size_t operator()(const PositionKey& key) const {
      return static_cast<std::size_t>((key.source ^ static_cast<std::uint64_t>(key.lane)) * 0x9E3779B97F4A7C15U);
    }
  };
  struct PositionCell {
    std::uint64_t position = 0;
    bool dirty = false;
  };
  struct FactName {
    std::string instance;
    std::string key;
  };
  struct FactView {
    std::string_view instance;
    std::string_view key;
  };
  struct FactLess {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      const int order = std::string_view(a.instance).compare(b.instance);
      return order != 0 ? order < 0 : std::string_view(a.key) < std::string_view(b.key);
    }
  };
  struct FactCell {
    std::string value;
    bool dirty = false;
    bool gone = false;  // dropped, to be removed from the file
  };
  using Facts = std::map<FactName, FactCell, FactLess>;

  void mark(const PositionKey& key, PositionCell& cell);
  void mark(Facts::iterator fact);
  Facts::iterator fact_at(std::string_view instance, std::string_view key);

  std::deque<std::string> lanes_;  // by key
  std::map<std::string, LaneKey, std::less<>> lane_keys_;
  std::unordered_map<PositionKey, PositionCell, PositionHash> positions_;
  Facts facts_;
  std::vector<std::uint64_t> dropped_;
  std::vector<PositionKey> dirty_positions_;  // may name one twice or one that is gone
  std::vector<Facts::iterator> dirty_facts_;  // a cell is erased only by `written`, when it is not dirty
};

}  // namespace logweir
