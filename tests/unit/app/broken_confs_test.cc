// SPDX-License-Identifier: Apache-2.0
// The collection of broken confs, tests/data/broken: the first line of each says which line is at fault, and words of
// what is said of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/plan.h"
#include "plugins/builtin.h"

namespace logweir {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> collection() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(LOGWEIR_TEST_DATA "/broken")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// "# line 3: words": an error of that line with a column and the words is among the problems.
bool says(const Problems& problems, const std::string& expected) {
  const std::size_t number = expected.find("line ") + 5;
  const int line = std::stoi(expected.substr(number));
  const std::string words = expected.substr(expected.find(": ", number) + 2);
  return std::any_of(problems.all().begin(), problems.all().end(), [&](const Problem& problem) {
    return problem.level == Problem::Level::error && problem.place.line == line && problem.place.column > 0 &&
           problem.text.find(words) != std::string::npos;
  });
}

TEST_CASE("each broken conf is refused with the line at fault and a sentence that helps") {
  const std::vector<fs::path> files = collection();
  CHECK(files.size() >= 50);
  for (const fs::path& file : files) {
    std::string expected;
    std::ifstream in(file);
    std::getline(in, expected);
    Problems problems;
    const ConfTree tree = read_conf(file.string(), problems);
    CHECK_MESSAGE(!make_plan(tree, builtin_shelf(), problems).has_value(), file.filename().string());
    CHECK_MESSAGE(says(problems, expected), file.filename().string(), " ", expected, "\n", problems.text());
  }
}

}  // namespace
}  // namespace logweir
