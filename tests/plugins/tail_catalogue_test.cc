// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "plugins/inputs/tail/catalogue.h"
#include "support/temp_directory.h"

namespace logweir::tail {

namespace {

// Real files, looked at by hand; says what the catalogue says as words.
struct CatalogueBench final : CatalogueListener {
  void appeared(FileNumber number, const std::string& path, const FileStat&) override { say("new", number, path); }
  void changed(FileNumber number) override { say("changed", number, ""); }
  void moved(FileNumber number, const std::string& path, bool wanted) override {
    say(wanted ? "moved" : "hidden", number, path);
  }
  void gone(FileNumber number) override { say("gone", number, ""); }
  void say(const std::string& word, FileNumber number, const std::string& path) {
    const std::string name = path.empty() ? "" : " " + std::filesystem::path(path).filename().string();
    said.push_back(word + " " + std::to_string(number) + name);
  }
  std::vector<std::string> look(const std::vector<std::string>& names, bool wanted = true) {
    std::vector<Sighting> sightings;
    for (const std::string& name : names) {
      sightings.push_back({dir.file(name), stat_path(dir.file(name).c_str()), wanted, false});
    }
    said.clear();
    catalogue.apply(std::move(sightings));
    return said;
  }
  void write(const std::string& name) const { std::ofstream(dir.file(name), std::ios::app) << "x\n"; }
  void move(const std::string& a, const std::string& b) const { std::filesystem::rename(dir.file(a), dir.file(b)); }

  TempDirectory dir;
  Catalogue catalogue{*this};
  std::vector<std::string> said;
};

using Said = std::vector<std::string>;

}  // namespace

TEST_CASE("a rename and a new file in its place are told as such, the old one first") {
  CatalogueBench bench;
  bench.write("a");
  CHECK(bench.look({"a"}) == Said{"new 0 a"});
  bench.move("a", "a.1");
  bench.write("a");
  CHECK(bench.look({"a", "a.1"}) == Said{"moved 0 a.1", "new 1 a"});
  CHECK(bench.look({"a", "a.1"}).empty());
}

TEST_CASE("a chain of renames keeps every file apart") {
  CatalogueBench bench;
  bench.write("a");
  bench.write("a.1");
  bench.look({"a", "a.1"});
  bench.move("a.1", "a.2");
  bench.move("a", "a.1");
  bench.write("a");
  CHECK(bench.look({"a", "a.1", "a.2"}) == Said{"moved 0 a.1", "moved 1 a.2", "new 2 a"});
}

TEST_CASE("a file renamed to a name nobody asked for is hidden and then gone") {
  CatalogueBench bench;
  bench.write("a");
  bench.look({"a"});
  bench.move("a", "b");
  CHECK(bench.look({"a", "b"}, false) == Said{"hidden 0 b"});
  std::filesystem::remove(bench.dir.file("b"));
  CHECK(bench.look({"b"}, false) == Said{"gone 0"});
}

TEST_CASE("unknown files under names nobody asked for are none of our business") {
  CatalogueBench bench;
  bench.write("x");
  CHECK(bench.look({"x"}, false).empty());
  CHECK(bench.catalogue.size() == 0);
}

TEST_CASE("two hard links are one file, and one name may go") {
  CatalogueBench bench;
  bench.write("a");
  bench.look({"a"});
  std::filesystem::create_hard_link(bench.dir.file("a"), bench.dir.file("b"));
  CHECK(bench.look({"a", "b"}).empty());
  std::filesystem::remove(bench.dir.file("a"));
  CHECK(bench.look({"a"}) == Said{"moved 0 b"});
}

TEST_CASE("a rename whose first half is heard later is still a rename") {
  CatalogueBench bench;
  bench.write("a");
  bench.look({"a"});
  bench.move("a", "b");
  CHECK(bench.look({"b"}) == Said{"moved 0 b"});
  CHECK(bench.look({"a"}).empty());
}

TEST_CASE("a file that was replaced atomically is gone and another one is there") {
  CatalogueBench bench;
  bench.write("a");
  bench.look({"a"});
  bench.write("tmp");
  bench.move("tmp", "a");
  CHECK(bench.look({"a"}) == Said{"gone 0", "new 1 a"});
}

TEST_CASE("an inode that goes from one new file to another within a look is the later file alone") {
  CatalogueBench bench;
  bench.write("a");
  const auto later = stat_path(bench.dir.file("a").c_str());
  REQUIRE(later);
  auto before = later;
  before->id.btime += 1'000'000'000;
  bench.catalogue.apply({{bench.dir.file("b"), before, true, false}, {bench.dir.file("a"), later, true, false}});
  CHECK(bench.said == Said{"new 1 a"});
  CHECK(bench.catalogue.at(bench.dir.file("b")) == kNoFile);
  CHECK(bench.look({"a"}).empty());
}

TEST_CASE("growth is told and a number is used again only after it was given back") {
  CatalogueBench bench;
  bench.write("a");
  bench.look({"a"});
  bench.write("a");
  CHECK(bench.look({"a"}) == Said{"changed 0"});
  std::filesystem::remove(bench.dir.file("a"));
  bench.look({"a"});
  bench.write("b");
  CHECK(bench.look({"b"}) == Said{"new 1 b"});
  bench.catalogue.erase(0);
  bench.write("c");
  CHECK(bench.look({"c"}) == Said{"new 0 c"});
}

}  // namespace logweir::tail
