// SPDX-License-Identifier: Apache-2.0
// bench_probe FILE PORT RATE SECONDS: how long a line takes from its write into FILE to its arrival at PORT. Appends
// stamped lines in a burst each 5 ms and prints {"sent":..,"received":..,"p50":..,"p99":..,"max":..} in milliseconds.
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "net.h"

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::string_view kMark = "ts=";
constexpr std::size_t kDigits = 19;

std::int64_t now() { return std::chrono::duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count(); }

// Finds the stamps in what arrives; a stamp may be split over two reads.
class Arrivals {
 public:
  void take(std::string_view part, std::int64_t at) {
    rest_.append(part);
    std::size_t begin = 0;
    for (;;) {
      const std::size_t found = rest_.find(kMark, begin);
      if (found == std::string::npos || found + kMark.size() + kDigits > rest_.size()) break;
      begin = found + kMark.size() + kDigits;
      delays_.push_back(at - std::stoll(rest_.substr(found + kMark.size(), kDigits)));
    }
    // Without a mark in sight only the beginning of one can matter later.
    const std::size_t found = rest_.find(kMark, begin);
    rest_.erase(
        0, found != std::string::npos ? found : std::max(begin, rest_.size() - std::min<std::size_t>(rest_.size(), 2)));
  }
  [[nodiscard]] std::size_t count() const { return delays_.size(); }
  double quantile(double q) {
    if (delays_.empty()) return -1;
    std::sort(delays_.begin(), delays_.end());
    return static_cast<double>(delays_[std::min(delays_.size() - 1,
                                                static_cast<std::size_t>(q * static_cast<double>(delays_.size())))]) /
           1e6;
  }

 private:
  std::string rest_;
  std::vector<std::int64_t> delays_;
};

void receive(int listener, const std::atomic<bool>& done, Arrivals& arrivals) {
  constexpr std::size_t kBuffer = 1 << 20;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  const int fd = bench::must(accept(listener, nullptr, nullptr), "accept");
  while (!done) {
    pollfd one{fd, POLLIN, 0};
    if (poll(&one, 1, 50) <= 0) continue;
    const ssize_t got = read(fd, buffer.get(), kBuffer);
    if (got <= 0) return;
    arrivals.take({buffer.get(), static_cast<std::size_t>(got)}, now());
  }
}

// Gives how many lines were written.
std::size_t write_lines(const char* path, double rate, double seconds) {
  const int fd = bench::must(open(path, O_WRONLY | O_CREAT | O_APPEND, 0644), "open");
  const std::int64_t begin = now();
  std::size_t sent = 0;
  std::string burst;
  for (;;) {
    const std::int64_t at = now();
    const double elapsed = static_cast<double>(at - begin) / 1e9;
    if (elapsed >= seconds) break;
    char line[128];
    const int size = std::snprintf(line, sizeof line, "ts=%019lld level=info payload payload payload payload payload\n",
                                   static_cast<long long>(at));
    burst.clear();
    for (const auto due = static_cast<std::size_t>(elapsed * rate) + 1; sent < due; ++sent)
      burst.append(line, static_cast<std::size_t>(size));
    if (!burst.empty()) bench::write_all(fd, burst);
    std::this_thread::sleep_until(steady_clock::time_point(nanoseconds(at)) + std::chrono::milliseconds(5));
  }
  close(fd);
  return sent;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_probe FILE PORT RATE SECONDS\n");
    return 2;
  }
  const int listener = bench::listen_at(std::atoi(argv[2]));
  std::printf("listening\n");
  std::fflush(stdout);
  std::atomic<bool> done = false;
  Arrivals arrivals;
  std::thread receiver([&] { receive(listener, done, arrivals); });
  // Written only once told that the agent is up: one line on our standard input.
  char go[16];
  if (std::fgets(go, sizeof go, stdin) == nullptr) std::exit(1);
  const std::size_t sent = write_lines(argv[1], std::atof(argv[3]), std::atof(argv[4]));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  done = true;
  receiver.join();
  std::printf("{\"sent\":%zu,\"received\":%zu,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f}\n", sent, arrivals.count(),
              arrivals.quantile(0.5), arrivals.quantile(0.99), arrivals.quantile(1));
  return 0;
}
