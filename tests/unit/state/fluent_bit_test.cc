// SPDX-License-Identifier: Apache-2.0
#include "state/fluent_bit.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/temp_directory.h"

namespace logweir {
namespace {

constexpr const char* kTable =
    "CREATE TABLE in_tail_files (id INTEGER PRIMARY KEY, name TEXT NOT NULL, offset INTEGER, inode INTEGER, created "
    "INTEGER, rotated INTEGER DEFAULT 0);";

// Runs statements as Fluent Bit does, in WAL mode.
void write_db(const std::string& path, const std::string& statements) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "PRAGMA journal_mode=WAL;", nullptr, nullptr, nullptr) == SQLITE_OK);
  CHECK(sqlite3_exec(db, statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);
}

std::string content(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return all.str();
}

std::size_t entries(const TempDirectory& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

}  // namespace

TEST_CASE("Fluent Bit's offsets are read, rows that can't be are passed over") {
  TempDirectory folder;
  const std::string path = folder.file("tail.db");
  write_db(path, std::string(kTable) +
                     "INSERT INTO in_tail_files (name, offset, inode, created) VALUES ('/var/log/a.log', 120, 7, 1700),"
                     "('/var/log/b.log', -1, 8, 1700), ('', 1, 9, 1700), ('/c', 5, 0, 0);");
  const std::string before = content(path);
  const auto read = read_fluent_bit_offsets(path, folder.path());
  REQUIRE_MESSAGE(read.ok(), read.status().message());
  REQUIRE(read.value().size() == 1);
  CHECK(read.value()[0].path == "/var/log/a.log");
  CHECK(read.value()[0].offset == 120);
  CHECK(read.value()[0].inode == 7);
  CHECK(read.value()[0].created == 1700);
  CHECK(content(path) == before);
  CHECK(entries(folder) == 1);
}

TEST_CASE("what is still in the log of a killed Fluent Bit counts, and the log stays") {
  TempDirectory folder;
  TempDirectory scratch;
  const std::string path = folder.file("tail.db");
  write_db(path, std::string(kTable) + "INSERT INTO in_tail_files VALUES (1, '/a.log', 10, 7, 1700, 0);");
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  REQUIRE(sqlite3_exec(db, "UPDATE in_tail_files SET offset = 99;", nullptr, nullptr, nullptr) == SQLITE_OK);
  REQUIRE(std::filesystem::exists(path + "-wal"));
  const auto read = read_fluent_bit_offsets(path, scratch.path());
  REQUIRE(read.ok());
  CHECK(read.value().at(0).offset == 99);
  CHECK(std::filesystem::exists(path + "-wal"));
  sqlite3_close(db);
}

TEST_CASE("what is no file of offsets is told in a sentence") {
  TempDirectory folder;
  CHECK(read_fluent_bit_offsets(folder.file("none"), folder.path()).status().code() == Code::not_found);
  std::ofstream(folder.file("text")) << std::string(5000, 'x');
  CHECK(read_fluent_bit_offsets(folder.file("text"), folder.path()).status().code() == Code::corrupt);
  write_db(folder.file("other.db"), "CREATE TABLE t (a);");
  const auto other = read_fluent_bit_offsets(folder.file("other.db"), folder.path());
  CHECK(other.status().code() == Code::invalid);
  CHECK(other.status().message().find("in_tail_files") != std::string::npos);
  CHECK(!read_fluent_bit_offsets(folder.path(), folder.path()).ok());
  CHECK(entries(folder) == 2);
}

}  // namespace logweir
