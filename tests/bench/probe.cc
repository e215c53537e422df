// SPDX-License-Identifier: Apache-2.0
// bench_probe FILE PORT RATE SECONDS: how long a line takes from its write into FILE to its arrival at PORT. Appends
// stamped lines in a burst each 5 ms and prints {"sent":..,"received":..,"p50":..,"p99":..,"max":..} in milliseconds.
#include <poll.h>

#include <atomic>
#include <memory>

#include "stamped.h"

namespace {

void receive(int listener, const std::atomic<bool>& done, std::vector<std::int64_t>& delays) {
  constexpr std::size_t kBuffer = 1 << 20;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  const int fd = bench::must(accept(listener, nullptr, nullptr), "accept");
  bench::Stamps stamps;
  while (!done) {
    pollfd one{fd, POLLIN, 0};
    if (poll(&one, 1, 50) <= 0) continue;
    const ssize_t got = read(fd, buffer.get(), kBuffer);
    if (got <= 0) return;
    const std::int64_t at = bench::now();
    stamps.take({buffer.get(), static_cast<std::size_t>(got)}, [&](std::int64_t time) { delays.push_back(at - time); });
  }
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
  std::vector<std::int64_t> delays;
  std::thread receiver([&] { receive(listener, done, delays); });
  // Written only once told that the agent is up: one line on our standard input.
  char go[16];
  if (std::fgets(go, sizeof go, stdin) == nullptr) std::exit(1);
  const double seconds = std::atof(argv[4]);
  const std::size_t sent =
      bench::write_stamped(argv[1], std::atof(argv[3]), [seconds](double elapsed) { return elapsed < seconds; });
  std::this_thread::sleep_for(std::chrono::seconds(2));
  done = true;
  receiver.join();
  std::printf("{\"sent\":%zu,\"received\":%zu,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f}\n", sent, delays.size(),
              bench::quantile(delays, 0.5), bench::quantile(delays, 0.99), bench::quantile(delays, 1));
  return 0;
}
