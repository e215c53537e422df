// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/file_system.h"
#include "state/state.h"
#include "state_fixture.h"
#include "support/in_child.h"

using namespace logweir;
namespace fs = std::filesystem;

namespace {

void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void zero(const std::string& path) { overwrite(path, std::string(fs::file_size(path), '\0')); }
void halve(const std::string& path) { fs::resize_file(path, fs::file_size(path) / 2); }
void empty(const std::string& path) { overwrite(path, ""); }
void text(const std::string& path) { overwrite(path, std::string(9000, 'x')); }
void scramble(const std::string& path) {
  std::string bytes = read_file(path, 1 << 24).value();
  for (std::size_t at = 1024; at < bytes.size(); at += 7) bytes[at] = static_cast<char>(bytes[at] ^ 0x5A);
  overwrite(path, bytes);
}

void sql(const std::string& path, const char* statement) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, statement, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);
}

void foreign(const std::string& path) {
  fs::remove(path);
  sql(path, "CREATE TABLE theirs(x)");
}
void tables_missing(const std::string& path) { sql(path, "DROP TABLE facts"); }

// Some positions, enough for many pages, and a clean end.
void fill(StateFixture& fixture) {
  const auto state = fixture.open();
  REQUIRE(state);
  for (std::uint64_t i = 0; i < 500; ++i) state->put_position(i, "some.lane/tcp:somewhere", i);
}

}  // namespace

TEST_CASE_FIXTURE(StateFixture, "a damaged file is moved aside with one warning, and a fresh one works") {
  struct Kind {
    const char* name;
    std::function<void(const std::string&)> damage;
  };
  for (const Kind& kind : {Kind{"zeros", zero}, Kind{"half", halve}, Kind{"empty", empty}, Kind{"text", text},
                           Kind{"scrambled", scramble}, Kind{"foreign", foreign}, Kind{"tables", tables_missing}}) {
    CAPTURE(kind.name);
    StateFixture each;
    fill(each);
    kind.damage(each.file("state.db"));
    {
      const auto state = each.open();
      REQUIRE(state);
      CHECK(state->positions().empty());
      CHECK(state->fault() == "");
      CHECK(state->stats().damaged == 1);
      state->put_position(1, "a", 2);
    }
    CHECK(each.log.lines().size() == 1);
    CHECK(each.log.count("warn: " + each.file("state.db")) == 1);
    CHECK(each.log.count(each.file("state.db.damaged-1")) == 1);
    CHECK(fs::exists(each.file("state.db.damaged-1")));
    CHECK(each.open()->positions().size() == 1);
  }
}

TEST_CASE_FIXTURE(StateFixture, "every file of the directory may be overwritten between runs") {
  for (const auto& damage : {zero, halve, empty}) {
    fill(*this);
    for (const auto& entry : fs::directory_iterator(dir.path())) damage(entry.path());
    REQUIRE(open());
  }
  CHECK(log.count("warn:") == 3);
}

TEST_CASE_FIXTURE(StateFixture, "only the newest five damaged files are kept") {
  for (int i = 0; i < 8; ++i) {
    overwrite(file("state.db"), "garbage");
    overwrite(file("state.db-wal"), "garbage");
    REQUIRE(open());
  }
  CHECK(!fs::exists(file("state.db.damaged-3")));
  CHECK(!fs::exists(file("state.db.damaged-3-wal")));
  for (int i = 4; i <= 8; ++i) CHECK(fs::exists(file("state.db.damaged-" + std::to_string(i))));
}

TEST_CASE_FIXTURE(StateFixture, "the log of a file that is gone is not replayed") {
  fill(*this);
  fs::remove(file("state.db"));
  overwrite(file("state.db-wal"), std::string(5000, 'w'));
  const auto state = open();
  REQUIRE(state);
  CHECK(state->positions().empty());
  CHECK(state->stats().damaged == 0);
}

TEST_CASE_FIXTURE(StateFixture, "a newer file is refused in one sentence and left alone") {
  fill(*this);
  sql(file("state.db"), "PRAGMA user_version = 2");
  const auto newer = State::open(options, log.log());
  REQUIRE(!newer.ok());
  CHECK(newer.status().code() == Code::invalid);
  CHECK(newer.status().message().find(file("state.db") + " was written by a newer logweir") != std::string::npos);
  CHECK(!fs::exists(file("state.db.damaged-1")));
  sql(file("state.db"), "PRAGMA user_version = 1");
  CHECK(open()->positions().size() == 500);
}

TEST_CASE_FIXTURE(StateFixture, "a database that another program holds is not taken for damaged") {
  fill(*this);
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(file("state.db").c_str(), &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE;", nullptr, nullptr, nullptr) == SQLITE_OK);
  const auto second = State::open(options, log.log());
  REQUIRE(!second.ok());
  CHECK(second.status().code() == Code::busy);
  sqlite3_close(db);
  CHECK(open()->positions().size() == 500);
}

TEST_CASE_FIXTURE(StateFixture, "a log torn anywhere, as by a power cut, gives an earlier whole state") {
  const int killed = in_child([this] {
    const auto state = open();
    for (std::uint64_t i = 1; i <= 40; ++i) {
      state->put_position(1, "a", i);
      state->put_position(2, "a", i);
      synced(*state);
    }
    return ::kill(::getpid(), SIGKILL);
  });
  REQUIRE(WIFSIGNALED(killed));
  const auto whole = fs::file_size(file("state.db-wal"));
  std::uint64_t last = 0;
  for (std::uintmax_t size = 0; size <= whole; size += 1700) {
    StateFixture torn;
    for (const char* name : {"state.db", "state.db-wal"}) fs::copy_file(file(name), torn.file(name));
    fs::resize_file(torn.file("state.db-wal"), size);
    auto found = positions(*torn.open());
    CHECK(torn.log.lines().empty());
    CHECK(found[{1, "a"}] - found[{2, "a"}] <= 1);
    CHECK(found[{2, "a"}] >= last);
    last = found[{2, "a"}];
  }
  CHECK(last >= 35);
}
