// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "config/tree.h"
#include "support/temp_directory.h"

namespace logweir {
namespace {

namespace fs = std::filesystem;

// A folder of conf files, gone afterwards.
class Folder {
 public:
  Folder& file(const std::string& name, std::string_view text) {
    const fs::path path = folder_.file(name);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return *this;
  }
  ConfTree read(const std::string& name, Problems& problems) const { return read_conf(folder_.file(name), problems); }

 private:
  TempDirectory folder_;
};

bool says(const Problems& problems, std::string_view words) { return problems.text().find(words) != std::string::npos; }

std::string names(const std::vector<Node>& nodes) {
  std::string out;
  for (const Node& node : nodes) out += node.find("name")->scalar + " ";
  return out;
}

TEST_CASE("includes are relative to the file that names them, and globs are sorted") {
  Folder folder;
  folder.file("a.yaml", "includes: ['sub/*.yaml']\n")
      .file("sub/2.yaml", "pipeline: {filters: [{name: two}]}\n")
      .file("sub/1.yaml", "includes: [deep/x.yaml]\npipeline: {filters: [{name: one}]}\n")
      .file("sub/deep/x.yaml", "pipeline: {filters: [{name: x}]}\n");
  Problems problems;
  CHECK(names(folder.read("a.yaml", problems).filters) == "x one two ");
  CHECK(problems.text().empty());
}

TEST_CASE("a classic include stands where it is written") {
  Folder folder;
  folder.file("a.conf", "[FILTER]\n name a\n@INCLUDE b.conf\n[FILTER]\n name c\n").file("b.conf", "[FILTER]\n name b");
  Problems problems;
  CHECK(names(folder.read("a.conf", problems).filters) == "a b c ");
}

TEST_CASE("variables of an included file and in an include's path are known") {
  Folder folder;
  folder.file("a.yaml", "env: {LW_DIR: sub}\nincludes: ['${LW_DIR}/b.yaml']\nservice: {x: '${LW_B}'}\n")
      .file("sub/b.yaml", "env: {LW_B: 7}\n");
  Problems problems;
  CHECK(folder.read("a.yaml", problems).service.find("x")->scalar == "7");
  CHECK(problems.text().empty());
}

TEST_CASE("a missing include is an error, an empty glob a warning") {
  Folder folder;
  folder.file("a.yaml", "includes:\n  - no.yaml\n  - no*.yaml\n");
  Problems problems;
  folder.read("a.yaml", problems);
  CHECK(says(problems, "a.yaml:2:5: error: the included file 'no.yaml' does not exist"));
  CHECK(says(problems, "a.yaml:3:5: warning: no file matches 'no*.yaml'"));
}

TEST_CASE("a file is read once, also around a circle") {
  Folder folder;
  folder.file("a.yaml", "includes: [b.yaml, ./b.yaml]\n")
      .file("b.yaml", "includes: [a.yaml, '*.yaml']\npipeline: {inputs: [{name: x}]}\n");
  Problems problems;
  CHECK(names(folder.read("a.yaml", problems).inputs) == "x ");
  CHECK_FALSE(problems.failed());
  CHECK(says(problems, "b.yaml:1:12: warning: 'a.yaml' was read before"));
}

TEST_CASE("includes nest to a bounded depth") {
  Folder folder;
  for (int i = 0; i < 20; ++i) {
    folder.file(std::to_string(i) + ".conf", "@INCLUDE " + std::to_string(i + 1) + ".conf\n");
  }
  Problems problems;
  folder.read("0.conf", problems);
  CHECK(says(problems, "16.conf:1:10: error: includes are nested deeper than 16 files"));
}

TEST_CASE("parsers files of both formats are read") {
  Folder folder;
  folder.file("a.yaml", "service: {parsers_file: [p.conf, q.yaml]}\n")
      .file("p.conf", "[PARSER]\n name a\n[MULTILINE_PARSER]\n name m\n[INPUT]\n name no\n")
      .file("q.yaml", "parsers: [{name: b}]\n");
  Problems problems;
  const ConfTree tree = folder.read("a.yaml", problems);
  CHECK(names(tree.parsers) == "a b ");
  CHECK(names(tree.multiline_parsers) == "m ");
  CHECK(tree.inputs.empty());
  CHECK(says(problems, "p.conf:5:1: warning: a parsers file holds parsers; this section is ignored"));
}

TEST_CASE("a missing parsers file is an error at its key") {
  Folder folder;
  folder.file("a.conf", "[SERVICE]\n  parsers_file no.conf\n");
  Problems problems;
  folder.read("a.conf", problems);
  CHECK(says(problems, "a.conf:2:16: error: the parsers file 'no.conf' does not exist"));
}

TEST_CASE("a conf that is missing, a folder or far too large is told in one sentence") {
  Folder folder;
  folder.file("big.conf", std::string((16 << 20) + 1, '#')).file("sub/x", "");
  for (const auto& [name, words] :
       {std::pair{"no.yaml", "No such file"}, {"sub", "directory"}, {"big.conf", "larger than 16 MiB"}}) {
    Problems problems;
    folder.read(name, problems);
    CHECK(problems.all().size() == 1);
    CHECK_MESSAGE(says(problems, words), problems.text());
  }
}

}  // namespace
}  // namespace logweir
