// SPDX-License-Identifier: Apache-2.0
// bench_spool: one measurement of the spool below DIRECTORY, on the disk that is to be measured; a line of JSON.
#include <filesystem>
#include <string_view>

#include "tests/bench/spool_parts.h"

int main(int count, char** words) {
  const std::string_view what = count > 2 ? words[1] : "";
  const std::string directory = count > 2 ? std::string(words[2]) + "/bench_spool" : "";
  const auto number = [&](int index) { return std::atoi(words[index]); };
  const auto run = [&] {
    if (what == "group" && count == 6) {
      return logweir::bench_group(directory, std::string_view(words[3]) == "each", number(4), std::atof(words[5]));
    }
    if (what == "beside" && count == 6) {
      return logweir::bench_beside(directory, static_cast<std::size_t>(number(3)), number(4), number(5));
    }
    if (what == "ways" && count == 6) {
      return logweir::bench_ways(directory, static_cast<std::size_t>(number(3)), number(4), number(5));
    }
    if (what == "open" && count == 4) return logweir::bench_open(directory, number(3));
    std::fprintf(stderr,
                 "usage: bench_spool group DIRECTORY each|group SYNC_MS SECONDS\n"
                 "       bench_spool beside|ways DIRECTORY BATCH_BYTES BATCHES_AT_ONCE TIMES\n"
                 "       bench_spool open DIRECTORY SEGMENTS\n");
    return 2;
  };
  if (!directory.empty()) std::filesystem::create_directories(directory);
  const int code = run();
  if (!directory.empty()) std::filesystem::remove_all(directory);
  return code;
}
