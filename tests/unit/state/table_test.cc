// SPDX-License-Identifier: Apache-2.0
#include "state/table.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace logweir;

TEST_CASE("a lane keeps its key") {
  Table table;
  const LaneKey a = table.lane("a");
  CHECK(table.lane("b") != a);
  CHECK(table.lane("a") == a);
}

TEST_CASE("a turn holds the newest position of each source and lane, once") {
  Table table;
  Turn turn;
  table.put_position(1, table.lane("a"), 10);
  table.put_position(1, table.lane("a"), 20);
  table.put_position(1, table.lane("b"), 5);
  CHECK(table.pending());
  table.take(turn);
  REQUIRE(turn.positions.size() == 2);
  CHECK(turn.positions[0].position == 20);
  CHECK(*turn.positions[1].lane == "b");
  CHECK(!table.pending());
  table.put_position(1, table.lane("a"), 20);
  CHECK(!table.pending());
}

TEST_CASE("a drop comes before what is put after it, and takes what was put before") {
  Table table;
  Turn turn;
  table.put_position(1, table.lane("a"), 10);
  table.put_position(2, table.lane("a"), 10);
  table.drop_source(1);
  table.put_position(1, table.lane("a"), 30);
  table.drop_source(2);
  table.take(turn);
  CHECK(turn.dropped == std::vector<std::uint64_t>{1, 2});
  REQUIRE(turn.positions.size() == 1);
  CHECK(turn.positions[0].position == 30);
}

TEST_CASE("what could not be written is pending again in its newest form") {
  Table table;
  Turn turn;
  table.put_position(1, table.lane("a"), 10);
  table.put_position(2, table.lane("a"), 10);
  table.put_fact("in", "k", "old");
  table.take(turn);
  table.put_position(1, table.lane("a"), 11);
  table.put_fact("in", "k", "new");
  table.drop_source(2);
  table.give_back(turn);
  table.take(turn);
  REQUIRE(turn.positions.size() == 1);
  CHECK(turn.positions[0].position == 11);
  REQUIRE(turn.facts.size() == 1);
  CHECK(turn.facts[0].value == "new");
  CHECK(turn.dropped == std::vector<std::uint64_t>{2});
}

TEST_CASE("a dropped fact is gone once that is written, not if it came back") {
  Table table;
  Turn turn;
  table.load({}, {{"in", "a", "1"}, {"in", "b", "2"}});
  table.drop_fact("in", "a");
  table.drop_fact("in", "b");
  table.take(turn);
  CHECK(turn.facts.size() == 2);
  table.put_fact("in", "b", "3");
  table.written(turn);
  REQUIRE(table.facts().size() == 1);
  CHECK(table.facts()[0].value == "3");
  table.take(turn);
  REQUIRE(turn.facts.size() == 1);
  CHECK(!turn.facts[0].gone);
}

TEST_CASE("all of it can be written anew") {
  Table table;
  Turn turn;
  table.load({{7, "a", 70}}, {{"in", "k", "v"}});
  CHECK(!table.pending());
  table.mark_all();
  table.mark_all();
  table.take(turn);
  CHECK(turn.positions.size() == 1);
  CHECK(turn.facts.size() == 1);
}

TEST_CASE("facts of instances and keys that run into one another stay apart, whatever their values become") {
  Table table;
  table.put_fact("in", "ab", "c");
  table.put_fact("in", "a", "bc");
  table.put_fact("ina", "b", "c");
  table.put_fact("in", "ab", "a longer value");
  table.put_fact("in", "a", "");
  std::vector<std::string> all;
  for (const SavedFact& fact : table.facts()) all.push_back(fact.instance + "/" + fact.key + "=" + fact.value);
  CHECK(all == std::vector<std::string>{"in/a=", "in/ab=a longer value", "ina/b=c"});
  Turn turn;
  table.take(turn);
  REQUIRE(turn.facts.size() == 3);
  CHECK(*turn.facts[0].instance == "in");
  CHECK(turn.facts[0].key == "ab");
  CHECK(turn.facts[0].value == "a longer value");
}

TEST_CASE("a dropped fact that was not written yet comes back with the value put last") {
  Table table;
  Turn turn;
  table.put_fact("in", "k", "one");
  table.drop_fact("in", "k");
  CHECK(table.facts().empty());
  table.put_fact("in", "k", "two");
  table.take(turn);
  REQUIRE(turn.facts.size() == 1);
  CHECK(!turn.facts[0].gone);
  CHECK(turn.facts[0].value == "two");
}

TEST_CASE("a turn gives back the room that a burst took") {
  Table table;
  Turn turn;
  for (std::uint64_t i = 0; i < 5000; ++i) table.put_position(i, table.lane("a"), i);
  table.take(turn);
  CHECK(turn.positions.size() == 5000);
  turn.clear();
  CHECK(turn.empty());
  CHECK(turn.positions.capacity() < 5000);
}
