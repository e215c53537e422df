// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "plugins/inputs/tail/glob.h"
#include "plugins/inputs/tail/names.h"
#include "plugins/inputs/tail/walk.h"
#include "support/temp_directory.h"

namespace logweir::tail {

namespace {

PathPattern pattern(std::string_view text) { return {text, "/here"}; }

struct Found final : WalkSink {
  void directory(const std::string& path) override { directories.push_back(path); }
  void file(const std::string& path, const FileStat&, bool) override { files.push_back(path); }
  std::vector<std::string> directories, files;
};

Found walked(const std::string& text) {
  Found found;
  walk(PathPattern(text, "/"), found);
  std::sort(found.files.begin(), found.files.end());
  return found;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

void touch(const std::string& path) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << "x\n";
}

}  // namespace

TEST_CASE("stars, question marks and sets match within one name") {
  CHECK(match_name("*.log", "a.log"));
  CHECK(match_name("a?c*", "abcd"));
  CHECK(match_name("[a-c]x[!0-9]", "bxz"));
  CHECK(match_name("*a*b*c", "xxaxxbxxc"));
  CHECK(match_name("\\*", "*"));
  CHECK(match_name("[", "["));
  CHECK_FALSE(match_name("*.log", "a.log.1"));
  CHECK_FALSE(match_name("[a-c]", "d"));
  CHECK_FALSE(match_name("[!a-c]", "b"));
  CHECK_FALSE(match_name("", "a"));
}

TEST_CASE("a leading dot is matched by a dot only") {
  CHECK_FALSE(match_name("*", ".hidden"));
  CHECK_FALSE(match_name("?hidden", ".hidden"));
  CHECK(match_name(".*", ".hidden"));
  CHECK(match_across("*.log", "/a/.b/c.log"));
}

TEST_CASE("a pattern with many stars is decided quickly") {
  CHECK_FALSE(match_name("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

TEST_CASE("paths match component by component and ** takes any number of directories") {
  CHECK(pattern("/var/log/*.log").matches("/var/log/a.log"));
  CHECK_FALSE(pattern("/var/log/*.log").matches("/var/log/b/a.log"));
  CHECK(pattern("/var/**/a.log").matches("/var/a.log"));
  CHECK(pattern("/var/**/a.log").matches("/var/x/y/z/a.log"));
  CHECK_FALSE(pattern("/var/**/a.log").matches("/var/.x/a.log"));
  CHECK(pattern("/a/**").matches("/a/b/c"));
  CHECK(pattern("x/*.log").matches("/here/x/a.log"));
  CHECK(pattern("//a/./b").matches("/a/b"));
}

TEST_CASE("a directory leads on when a match may lie below it") {
  CHECK(pattern("/a/*/c.log").leads_on("/a"));
  CHECK(pattern("/a/*/c.log").leads_on("/a/b"));
  CHECK_FALSE(pattern("/a/*/c.log").leads_on("/a/b/c.log"));
  CHECK_FALSE(pattern("/a/*/c.log").leads_on("/b"));
  CHECK(pattern("/a/**/c.log").leads_on("/a/x/y/z"));
}

TEST_CASE("a walk finds files at any depth and names the directories to watch") {
  const TempDirectory dir;
  touch(dir.file("a/x.log"));
  touch(dir.file("a/b/y.log"));
  touch(dir.file("a/b/z.txt"));
  const Found found = walked(dir.file("**/*.log"));
  CHECK(found.files == std::vector{dir.file("a/b/y.log"), dir.file("a/x.log")});
  CHECK(has(found.directories, dir.file("a/b")));
  CHECK(walked(dir.file("*/x.log")).files == std::vector{dir.file("a/x.log")});
}

TEST_CASE("what is missing is waited for in the deepest directory there is") {
  const TempDirectory dir;
  const Found found = walked(dir.file("not/yet/*.log"));
  CHECK(found.files.empty());
  CHECK(found.directories == std::vector{dir.path()});
}

TEST_CASE("the directory of a link on the way is watched since the link may flip") {
  const TempDirectory dir;
  touch(dir.file("v1/app.log"));
  std::filesystem::create_symlink("v1", dir.file("current"));
  const Found found = walked(dir.file("current/app.log"));
  CHECK(found.files == std::vector{dir.file("current/app.log")});
  CHECK(has(found.directories, dir.path()));
  CHECK(has(found.directories, dir.file("current")));
}

TEST_CASE("rotated and packed names are recognised") {
  CHECK(extends_name("/l/app.log.1", "/l/app.log"));
  CHECK(extends_name("/l/app.log-20260105", "/l/app.log"));
  CHECK_FALSE(extends_name("/l/app.log", "/l/app.log"));
  CHECK_FALSE(extends_name("/l/app.log.d/x", "/l/app.log"));
  CHECK_FALSE(extends_name("/l/apple", "/l/app"));
  CHECK(is_packed("/l/app.log.1.gz"));
  CHECK_FALSE(is_packed("/l/app.log.1"));
}

TEST_CASE("a star in the tag becomes the path with dots") {
  CHECK(expand_tag("t.*", "/var/log/a.log") == "t.var.log.a.log");
  CHECK(expand_tag("pre*suf", "/var/log/a.log") == "prevar.log.a.logsuf");
  CHECK(expand_tag("plain", "/var/log/a.log") == "plain");
  CHECK(expand_tag("*", "/a//b:c/") == "a.b.c");
}

}  // namespace logweir::tail
