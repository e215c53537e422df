// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net.h"

// Lines that carry the time at which they were written.
namespace bench {

// Nanoseconds, of a clock that all processes share.
inline std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline void sleep_until(std::int64_t at) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at)));
}

// Finds the stamps in what arrives; a stamp may be split over two reads.
class Stamps {
 public:
  // Calls `each` with the times in this part.
  template <typename Each>
  void take(std::string_view part, const Each& each) {
    rest_.append(part);
    std::size_t begin = 0;
    std::size_t found;
    for (;;) {
      found = rest_.find(kMark, begin);
      if (found == std::string::npos || found + kMark.size() + kDigits > rest_.size()) break;
      begin = found + kMark.size() + kDigits;
      std::int64_t time = 0;
      for (std::size_t i = found + kMark.size(); i < begin; ++i) time = time * 10 + (rest_[i] - '0');
      each(time);
    }
    // Without a mark in sight only the beginning of one can matter later.
    rest_.erase(
        0, found != std::string::npos ? found : std::max(begin, rest_.size() - std::min<std::size_t>(rest_.size(), 2)));
  }

 private:
  static constexpr std::string_view kMark = "ts=";
  static constexpr std::size_t kDigits = 19;
  std::string rest_;
};

// Milliseconds of a quantile of nanoseconds; -1 without any.
inline double quantile(std::vector<std::int64_t>& times, double q) {
  if (times.empty()) return -1;
  std::sort(times.begin(), times.end());
  const auto at = static_cast<std::size_t>(q * static_cast<double>(times.size()));
  return static_cast<double>(times[std::min(times.size() - 1, at)]) / 1e6;
}

// Appends stamped lines, a burst each 5 ms, while `go(elapsed seconds)`; gives how many.
template <typename Go>
std::size_t write_stamped(const char* path, double rate, const Go& go) {
  const int fd = must(open(path, O_WRONLY | O_CREAT | O_APPEND, 0644), "open");
  const std::int64_t begin = now();
  std::size_t sent = 0;
  std::string burst;
  for (;;) {
    const std::int64_t at = now();
    const double elapsed = static_cast<double>(at - begin) / 1e9;
    if (!go(elapsed)) break;
    char line[128];
    const int size = std::snprintf(line, sizeof line, "ts=%019lld level=info payload payload payload payload payload\n",
                                   static_cast<long long>(at));
    burst.clear();
    for (const auto due = static_cast<std::size_t>(elapsed * rate) + 1; sent < due; ++sent)
      burst.append(line, static_cast<std::size_t>(size));
    if (!burst.empty()) write_all(fd, burst);
    sleep_until(at + 5'000'000);
  }
  close(fd);
  return sent;
}

}  // namespace bench
