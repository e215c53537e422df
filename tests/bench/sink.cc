// SPDX-License-Identifier: Apache-2.0
// bench_sink PORT LINES: takes connections and counts newlines until LINES came or SIGTERM; then prints
// {"lines":..,"bytes":..,"seconds":..}, the time from the first to the last byte.
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <vector>

#include "net.h"

namespace {

volatile std::sig_atomic_t stopped = 0;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Tally {
  long lines = 0;
  long bytes = 0;
  double first = 0;
  double last = 0;
};

// False at the connection's end.
bool take(int fd, char* buffer, std::size_t size, Tally& tally) {
  const ssize_t got = read(fd, buffer, size);
  if (got <= 0) return false;
  tally.last = now();
  if (tally.bytes == 0) tally.first = tally.last;
  tally.bytes += got;
  tally.lines += std::count(buffer, buffer + got, '\n');
  return true;
}

Tally serve(int port, long wanted) {
  constexpr std::size_t kBuffer = 1 << 20;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  std::vector<pollfd> all = {{bench::listen_at(port), POLLIN, 0}};
  Tally tally;
  while (stopped == 0 && tally.lines < wanted) {
    if (poll(all.data(), all.size(), 200) <= 0) continue;
    for (std::size_t i = all.size(); i-- > 1;) {
      if (all[i].revents == 0 || take(all[i].fd, buffer.get(), kBuffer, tally)) continue;
      close(all[i].fd);
      all.erase(all.begin() + static_cast<long>(i));
    }
    if (all[0].revents != 0) all.push_back({accept(all[0].fd, nullptr, nullptr), POLLIN, 0});
  }
  return tally;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_sink PORT LINES\n");
    return 2;
  }
  std::signal(SIGTERM, [](int) { stopped = 1; });
  const Tally tally = serve(std::atoi(argv[1]), std::atol(argv[2]));
  std::printf("{\"lines\":%ld,\"bytes\":%ld,\"seconds\":%.6f}\n", tally.lines, tally.bytes, tally.last - tally.first);
  return 0;
}
