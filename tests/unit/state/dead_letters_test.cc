// SPDX-License-Identifier: Apache-2.0
#include "state/dead_letters.h"

#include <doctest/doctest.h>

#include <fstream>
#include <future>

#include "support/capture_log.h"
#include "support/temp_directory.h"

namespace logweir {

namespace {

Letter letter(const std::string& body) {
  Letter made;
  made.given_up = 100;
  made.time = 90;
  made.source = 0xFFFFFFFFFFFFFFF0U;
  made.position = 7;
  made.output = "out.0";
  made.reason = "http_400";
  made.answer = "no";
  made.tag = "t";
  made.text_key = "log";
  made.text = true;
  made.body = body;
  return made;
}

struct Ground {
  std::unique_ptr<LetterFile> file(bool make = true) {
    auto opened = LetterFile::open(dir.file("letters.db"), make);
    REQUIRE(opened.ok());
    return std::move(opened).value();
  }
  static bool put(DeadLetters& store, std::vector<Letter> letters) {
    std::promise<bool> answer;
    store.put(std::move(letters), [&](bool stored) { answer.set_value(stored); });
    return answer.get_future().get();
  }
  static std::vector<Letter> marked(DeadLetters& store) {
    std::promise<std::vector<Letter>> answer;
    store.marked([&](std::vector<Letter> letters) { answer.set_value(std::move(letters)); });
    return answer.get_future().get();
  }
  TempDirectory dir;
  CaptureLog log;
};

}  // namespace

TEST_CASE("a letter comes back as it was put, bytes and all") {
  Ground ground;
  std::uint64_t evicted = 0;
  const Letter put = letter(std::string("a\0\xff", 3));
  REQUIRE(ground.file()->add(std::vector{put}, {}, 100, evicted).ok());
  const auto all = ground.file(false)->read(0, 10, 1 << 20);
  REQUIRE(all.ok());
  REQUIRE(all.value().size() == 1);
  const Letter& got = all.value()[0];
  CHECK(got.number == 1);
  CHECK(got.body == put.body);
  CHECK(got.source == put.source);
  CHECK(got.position == 7);
  CHECK(got.time == 90);
  CHECK(got.given_up == 100);
  CHECK(got.text);
  CHECK(got.output + got.reason + got.answer + got.tag + got.text_key == "out.0http_400notlog");
}

TEST_CASE("at each limit the oldest letters go and are counted") {
  Ground ground;
  auto file = ground.file();
  std::uint64_t evicted = 0;
  std::vector<Letter> ten(10, letter(std::string(1000, 'x')));
  SUBCASE("count") { REQUIRE(file->add(ten, {.letters = 3}, 100, evicted).ok()); }
  SUBCASE("bytes") { REQUIRE(file->add(ten, {.bytes = 3 * weight_of(ten[0])}, 100, evicted).ok()); }
  SUBCASE("age") {
    for (int i = 0; i < 7; ++i) ten[static_cast<std::size_t>(i)].given_up = 10;
    REQUIRE(file->add(ten, {.age = 50}, 100, evicted).ok());
  }
  CHECK(evicted == 7);
  const auto left = file->read(0, 100, 1 << 20);
  REQUIRE(left.value().size() == 3);
  CHECK(left.value()[0].number == 8);
  CHECK(file->totals().value().letters == 3);
  CHECK(file->totals().value().bytes == 3 * weight_of(ten[0]));
}

TEST_CASE("what is marked is found, keeps its output or gets another, and can be unmarked and dropped") {
  Ground ground;
  auto file = ground.file();
  std::uint64_t evicted = 0;
  REQUIRE(file->add(std::vector(3, letter("x")), {}, 0, evicted).ok());
  CHECK(file->mark(2, "").value() == 1);
  CHECK(file->read(0, 10, 1000, true).value()[0].replay == "out.0");
  CHECK(file->mark(0, "other").value() == 3);
  CHECK(file->read(0, 10, 1000, true).value()[2].replay == "other");
  CHECK(file->unmark(1).value() == 1);
  CHECK(file->read(0, 10, 1000, true).value().size() == 2);
  CHECK(file->drop(2).value() == 1);
  CHECK(file->find(2).status().code() == Code::not_found);
  CHECK(file->drop(0).value() == 2);
  CHECK(file->totals().value().bytes == 0);
}

TEST_CASE("a store makes its directory with the first letter and gives out what another connection marked") {
  Ground ground;
  const std::string directory = ground.dir.file("dead_letters");
  bool opened = false;
  {
    DeadLetters store({directory, {}, 8 << 20, [&] { opened = true; }}, ground.log.log());
    CHECK(Ground::marked(store).empty());
    CHECK(::access(directory.c_str(), F_OK) != 0);
    CHECK(Ground::put(store, {letter("a"), letter("b")}));
    auto other = LetterFile::open(letters_path(directory), false);
    REQUIRE(other.ok());
    REQUIRE(other.value()->mark(2, "").ok());
    const auto found = Ground::marked(store);
    REQUIRE(found.size() == 1);
    CHECK(found[0].body == "b");
    store.drop({2});
    CHECK(Ground::marked(store).empty());
    CHECK(store.stats().stored == 2);
  }
  CHECK(opened);
}

TEST_CASE("two agents do not share a store: the second is refused and says why") {
  Ground ground;
  DeadLetters first({ground.dir.file("d"), {}, 8 << 20}, ground.log.log());
  DeadLetters second({ground.dir.file("d"), {}, 8 << 20}, ground.log.log());
  CHECK(Ground::put(first, {letter("a")}));
  CHECK_FALSE(Ground::put(second, {letter("b")}));
  CHECK(second.stats().refused == 1);
  CHECK(ground.log.count("in use by another logweir") == 1);
}

TEST_CASE("a store refuses what is larger than it may ever hold") {
  Ground ground;
  DeadLetters store({ground.dir.file("d"), {.bytes = 2000}, 8 << 20}, ground.log.log());
  CHECK_FALSE(Ground::put(store, {letter(std::string(3000, 'x'))}));
  CHECK(Ground::put(store, {letter("small")}));
}

TEST_CASE("a damaged file is moved aside and a fresh one takes letters") {
  Ground ground;
  const std::string directory = ground.dir.file("d");
  {
    DeadLetters store({directory, {}, 8 << 20}, ground.log.log());
    REQUIRE(Ground::put(store, {letter("a")}));
  }
  std::ofstream(letters_path(directory)) << std::string(8192, 'z');
  DeadLetters store({directory, {}, 8 << 20}, ground.log.log());
  CHECK(Ground::put(store, {letter("b")}));
  CHECK(::access((letters_path(directory) + ".damaged-1").c_str(), F_OK) == 0);
}

TEST_CASE("a file of a newer version is refused and left alone") {
  Ground ground;
  ground.file();
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(ground.dir.file("letters.db").c_str(), &db) == SQLITE_OK);
  sqlite3_exec(db, "PRAGMA user_version = 99", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  const auto opened = LetterFile::open(ground.dir.file("letters.db"), true);
  CHECK(opened.status().code() == Code::invalid);
}

}  // namespace logweir
