// SPDX-License-Identifier: Apache-2.0
#include "base/disk.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_directory.h"

namespace logweir {

TEST_CASE("the real disk writes many parts behind one another and reads them back") {
  const TempDirectory directory;
  RealDisk disk;
  auto file = disk.open(directory.file("a"), Disk::Open::create);
  REQUIRE(file.ok());
  std::vector<std::string> texts;
  std::vector<iovec> parts;
  std::string all;
  for (int i = 0; i < 3000; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26)));
  for (std::string& text : texts) {
    parts.push_back({text.data(), text.size()});
    all += text;
  }
  REQUIRE(file.value()->write(parts, 100).ok());
  REQUIRE(file.value()->sync().ok());
  std::string back(all.size() + 500, '\0');
  const auto got = file.value()->read(back.data(), back.size(), 100);
  CHECK(got.value() == all.size());
  CHECK(back.substr(0, all.size()) == all);
  struct stat info{};
  REQUIRE(::stat(directory.file("a").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("the real disk allocates, truncates, renames, lists and removes") {
  const TempDirectory directory;
  RealDisk disk;
  auto file = disk.open(directory.file("a"), Disk::Open::create);
  REQUIRE(file.value()->allocate(10'000).ok());
  CHECK(disk.files(directory.path()).value().at(0).size == 10'000);
  REQUIRE(file.value()->truncate(10).ok());
  REQUIRE(disk.rename(directory.file("a"), directory.file("b")).ok());
  CHECK(disk.files(directory.path()).value().at(0).name == "b");
  CHECK(disk.files(directory.path()).value().at(0).size == 10);
  REQUIRE(disk.make_directories(directory.file("c/d")).ok());
  CHECK(disk.directories(directory.path()).value() == std::vector<std::string>{"c"});
  REQUIRE(disk.sync_directory(directory.path()).ok());
  CHECK(disk.free_bytes(directory.path()).value() > 0);
  REQUIRE(disk.remove(directory.file("b")).ok());
  CHECK(disk.remove(directory.file("b")).code() == Code::not_found);
  CHECK(disk.open(directory.file("b"), Disk::Open::write).status().code() == Code::not_found);
}

TEST_CASE("the real disk refuses what is no regular file, and a second lock") {
  const TempDirectory directory;
  RealDisk disk;
  REQUIRE(disk.open(directory.file("a"), Disk::Open::create).ok());
  std::filesystem::create_symlink(directory.file("a"), directory.file("link"));
  CHECK_FALSE(disk.open(directory.file("link"), Disk::Open::read).ok());
  CHECK_FALSE(disk.open(directory.path(), Disk::Open::read).ok());
  CHECK_FALSE(disk.open("/dev/null", Disk::Open::write).ok());
  auto first = disk.lock(directory.file("lock"));
  REQUIRE(first.ok());
  CHECK(disk.lock(directory.file("lock")).status().code() == Code::busy);
  first.value().reset();
  CHECK(disk.lock(directory.file("lock")).ok());
}

}  // namespace logweir
