// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plugins/inputs/tail/files.h"

namespace logweir::tail {

namespace {

// A stream of the current file and `rotated` older ones, which are nowhere on disk: their names alone tell their age.
struct StreamBench {
  explicit StreamBench(int rotated) {
    for (int i = 0; i <= rotated; ++i) {
      TailFile& file = files.add({.dev = 1, .ino = static_cast<std::uint64_t>(i + 1), .btime = 1});
      file.path = i == 0 ? "/nowhere/app.log" : "/nowhere/app.log." + std::to_string(i);
      if (i > 0) file.stream = std::string("/nowhere/app.log");
      by_age.push_back(&file);
    }
    std::reverse(by_age.begin(), by_age.end());  // oldest first
  }
  [[nodiscard]] std::vector<TailFile*> chain() const {
    std::vector<TailFile*> found;
    for (TailFile* at = files.newest("/nowhere/app.log"); at != nullptr; at = at->before) found.push_back(at);
    std::reverse(found.begin(), found.end());
    return found;
  }
  Files files;
  std::vector<TailFile*> by_age;
};

}  // namespace

TEST_CASE("files of a stream stand in their order, whatever order they come in") {
  std::vector<int> order{0, 1, 2, 3, 4};
  do {
    StreamBench bench(4);
    for (const int i : order) bench.files.enter_stream(*bench.by_age[static_cast<std::size_t>(i)]);
    REQUIRE(bench.chain() == bench.by_age);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("generations are born in the order of their files, whatever order these are opened in") {
  std::vector<int> order{0, 1, 2, 3, 4};
  do {
    StreamBench bench(4);
    for (TailFile* file : bench.by_age) bench.files.enter_stream(*file);
    for (const int i : order) {
      TailFile& file = *bench.by_age[static_cast<std::size_t>(i)];
      file.born = Files::birth_of(file, 1'700'000'000 * kSecond);  // the same moment for all
      file.uid = static_cast<std::uint64_t>(i + 1);
    }
    for (std::size_t i = 1; i < bench.by_age.size(); ++i) REQUIRE(bench.by_age[i - 1]->born < bench.by_age[i]->born);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace logweir::tail
