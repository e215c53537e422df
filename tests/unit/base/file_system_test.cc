// SPDX-License-Identifier: Apache-2.0
#include "base/file_system.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/temp_directory.h"

using namespace logweir;

TEST_CASE("directories are made with their parents and mode, and may stand already") {
  const TempDirectory dir;
  const std::string path = dir.file("a//b/c/");
  CHECK(make_directories(path, 0700).ok());
  CHECK(make_directories(path, 0700).ok());
  struct stat info{};
  REQUIRE(::stat(dir.file("a/b").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
}

TEST_CASE("a file in a directory's place is named") {
  const TempDirectory dir;
  std::ofstream(dir.file("f")) << "x";
  CHECK(make_directories(dir.file("f"), 0700).code() == Code::io);
  const Status below = make_directories(dir.file("f/g"), 0700);
  CHECK(below.message().find(dir.file("f") + ":") != std::string::npos);
}

TEST_CASE("a file is read whole, up to a limit") {
  const TempDirectory dir;
  std::ofstream(dir.file("f")) << std::string(20000, 'x');
  CHECK(read_file(dir.file("f"), 20000).value().size() == 20000);
  CHECK(read_file(dir.file("f"), 19999).status().code() == Code::full);
  CHECK(read_file(dir.file("none"), 1).status().code() == Code::not_found);
}

TEST_CASE("renaming replaces, listing sees the new name alone") {
  const TempDirectory dir;
  std::ofstream(dir.file("a")) << "new";
  std::ofstream(dir.file("b")) << "old";
  CHECK(rename_durably(dir.file("a"), dir.file("b")).ok());
  CHECK(read_file(dir.file("b"), 10).value() == "new");
  CHECK(list_directory(dir.path()).value() == std::vector<std::string>{"b"});
  CHECK(list_directory(dir.file("none")).status().code() == Code::not_found);
}

TEST_CASE("a path has a directory") {
  CHECK(directory_of("/a/b") == "/a");
  CHECK(directory_of("/a") == "/");
  CHECK(directory_of("b") == ".");
}
