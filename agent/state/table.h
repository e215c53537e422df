// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
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
    const std::string* instance;  // the table's, likewise
    std::string key;
    std::string value;
    bool gone;
  };
  std::vector<std::uint64_t> dropped;
  std::vector<Position> positions;
  std::vector<Fact> facts;

  [[nodiscard]] bool empty() const { return dropped.empty() && positions.empty() && facts.empty(); }
  void clear();  // frees what a large turn took
};

// Resource. Names by number, from 0; a name stays where it is.
class NameNumbers {
 public:
  std::uint32_t number(std::string_view name);
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return names_[number]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;
  std::map<std::string_view, std::uint32_t> numbers_;
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
    std::size_t operator()(const PositionKey& key) const noexcept {
      return static_cast<std::size_t>((key.source ^ static_cast<std::uint64_t>(key.lane)) * 0x9E3779B97F4A7C15U);
    }
  };
  struct PositionCell {
    std::uint64_t position = 0;
    bool dirty = false;
  };
  // One block for key and value, an instance's number for its name: there is one for each file, for years. In the set
  // the order depends on instance and key alone, which never change; the rest may.
  class FactRow {
   public:
    FactRow(std::uint32_t instance, std::string_view key, std::string_view value);
    [[nodiscard]] std::uint32_t instance() const { return instance_; }
    [[nodiscard]] std::string_view key() const { return {text_.get(), key_size_}; }
    [[nodiscard]] std::string_view value() const { return {text_.get() + key_size_, value_size_}; }
    void set_value(std::string_view value) const;

    mutable bool dirty = false;
    mutable bool gone = false;  // dropped, to be removed from the file

   private:
    mutable std::unique_ptr<char[]> text_;
    std::uint32_t instance_;
    std::uint32_t key_size_;
    mutable std::uint32_t value_size_ = 0;
  };
  struct FactName {
    std::uint32_t instance;
    std::string_view key;
  };
  struct FactLess {
    using is_transparent = void;
    static FactName name(const FactRow& row) { return {row.instance(), row.key()}; }
    static FactName name(FactName name) { return name; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      const FactName one = name(a);
      const FactName two = name(b);
      return one.instance != two.instance ? one.instance < two.instance : one.key < two.key;
    }
  };
  using Facts = std::set<FactRow, FactLess>;

  void mark(const PositionKey& key, PositionCell& cell);
  void mark(Facts::iterator fact);
  Facts::iterator fact_at(std::string_view instance, std::string_view key);

  NameNumbers lanes_;
  NameNumbers instances_;
  std::unordered_map<PositionKey, PositionCell, PositionHash> positions_;
  Facts facts_;
  std::vector<std::uint64_t> dropped_;
  std::vector<PositionKey> dirty_positions_;  // may name one twice or one that is gone
  std::vector<Facts::iterator> dirty_facts_;  // a row is erased only by `written`, when it is not dirty
};

}  // namespace logweir
