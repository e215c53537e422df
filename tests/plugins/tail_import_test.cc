// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "support/tail_bench.h"

namespace logweir {

TEST_CASE("positions of another agent are taken over once: nothing repeats, nothing is skipped") {
  TailBench bench{{"read_from_head", "off"}};
  bench.write("a.log", "one\ntwo\n");
  bench.foreign_position("a.log", 4);
  bench.write("b.log", "new\n");
  bench.start();
  REQUIRE(bench.gets_count(2));
  CHECK(bench.lines()[0] != bench.lines()[1]);
  bench.write("a.log", "three\n");
  REQUIRE(bench.gets_count(3));
  bench.stop();
  bench.write("a.log", "four\n");
  bench.start();
  REQUIRE(bench.gets_count(4));
  CHECK(bench.imports == 1);
}

TEST_CASE("a file that was rotated since the other agent stopped is read on under its new name, before the new one") {
  TailBench bench{{"path", "a.log"}};
  bench.write("a.log", "one\ntwo\n");
  bench.foreign_position("a.log", 4);
  bench.move("a.log", "a.log.1");
  bench.write("a.log", "three\n");
  bench.start();
  CHECK(bench.gets({"two", "three"}));
}

TEST_CASE("a file that is shorter than the position is read from its start") {
  TailBench bench;
  bench.write("a.log", "one\n");
  bench.foreign_position("a.log", 100);
  bench.start();
  CHECK(bench.gets({"one"}));
}

TEST_CASE("another file that got the inode of one in the import is left alone") {
  TailBench bench{{"path", "a.log"}};
  bench.write("other", "one\ntwo\n");
  bench.foreign_position("other", 4);
  bench.foreign[0].path = bench.directory.file("a.log");
  bench.start();
  REQUIRE(bench.until([&] { return bench.memory.facts.contains("began"); }));
  bench.pass(100 * kMillisecond);
  CHECK(bench.lines().empty());
}

TEST_CASE("an import that is broken off before anything was read is done again to the same end") {
  TailBench bench{{"read_from_head", "off"}};
  bench.write("a.log", "one\ntwo\n");
  bench.foreign_position("a.log", 4);
  bench.start();
  REQUIRE(bench.gets({"two"}));
  const auto facts = bench.memory.facts.size();
  bench.stop();
  bench.memory.facts.erase("began");
  bench.start();
  bench.pass(100 * kMillisecond);
  CHECK(bench.lines().size() == 1);
  CHECK(bench.memory.facts.size() == facts);
}

}  // namespace logweir
