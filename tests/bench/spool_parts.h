// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "spool/format.h"
#include "tests/support/line_batch.h"

// What the parts of bench_spool share. Each measures one thing below a directory and prints one line of JSON.
namespace logweir {

int bench_group(const std::string& directory, bool each, int sync_ms, double seconds);
int bench_beside(const std::string& directory, std::size_t batch, int at_once, int rounds);
int bench_ways(const std::string& directory, std::size_t batch, int at_once, int rounds);
int bench_open(const std::string& directory, int segments);

inline const SpoolIdentity kBenchSpool{"bench", "nowhere"};

inline void require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench_spool: %s\n", status.message().c_str());
  std::exit(1);
}

// Milliseconds.
inline double quantile(std::vector<Nanos>& times, double part) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return static_cast<double>(times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))]) / 1e6;
}

// Processor seconds of all threads of this process.
inline double processor_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// Lines of 200 bytes that make a frame of about that size.
inline void fill_batch(LineBatch& batch, std::size_t frame_bytes) {
  constexpr std::size_t kLine = 200;
  constexpr std::size_t kHead = 36;  // what a frame adds to each
  for (std::size_t size = 0; size + kLine + kHead < frame_bytes; size += kLine + kHead) {
    batch.add(std::string(kLine, static_cast<char>('a' + size % 26)));
  }
}

}  // namespace logweir
