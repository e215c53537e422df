// SPDX-License-Identifier: Apache-2.0
// bench_outage FILE PORT RATE LIVE_S OUTAGE_S AFTER_S: appends stamped lines to FILE at that rate, takes them at PORT,
// goes away for the outage, comes back, waits until lines are as fresh as 10 ms again and measures their delay from
// then on. Prints a line "listening", waits for one on its standard input, and prints JSON: times of the shared clock
// in seconds, delays in milliseconds.
#include <poll.h>

#include <atomic>
#include <memory>

#include "stamped.h"

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kFresh = 10'000'000;
constexpr std::int64_t kPatience = 300 * kSecond;  // for the catching up

// A peer that counts what comes in.
class Peer {
 public:
  explicit Peer(int port) : port_(port) {}

  void up() { listener_ = bench::listen_at(port_); }
  void down() {
    if (fd_ >= 0) close(fd_);
    close(listener_);
    fd_ = listener_ = -1;
    stamps_ = {};
  }
  // Calls `each(now, delay)` for each line until `end`, or until it says that it has had enough.
  template <typename Each>
  void take(std::int64_t end, const Each& each) {
    for (bool more = true; more && bench::now() < end;) {
      pollfd one{fd_ >= 0 ? fd_ : listener_, POLLIN, 0};
      if (poll(&one, 1, 20) <= 0) continue;
      if (fd_ < 0) {
        fd_ = accept(listener_, nullptr, nullptr);
        continue;
      }
      const ssize_t got = read(fd_, buffer_.get(), kBuffer);
      if (got <= 0) {
        close(fd_);
        fd_ = -1;
        stamps_ = {};
        continue;
      }
      const std::int64_t at = bench::now();
      stamps_.take({buffer_.get(), static_cast<std::size_t>(got)}, [&](std::int64_t time) {
        ++received;
        more = each(at, at - time) && more;
      });
    }
  }
  std::size_t received = 0;

 private:
  static constexpr std::size_t kBuffer = 1 << 20;
  const std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kBuffer);
  const int port_;
  int listener_ = -1;
  int fd_ = -1;
  bench::Stamps stamps_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: bench_outage FILE PORT RATE LIVE_S OUTAGE_S AFTER_S\n");
    return 2;
  }
  const auto seconds = [argv](int index) { return std::atoll(argv[index]) * kSecond; };
  Peer peer(std::atoi(argv[2]));
  peer.up();
  std::printf("listening\n");
  std::fflush(stdout);
  char go[16];
  if (std::fgets(go, sizeof go, stdin) == nullptr) return 1;

  std::atomic<bool> writing = true;
  std::size_t sent = 0;
  std::thread writer(
      [&] { sent = bench::write_stamped(argv[1], std::atof(argv[3]), [&](double) { return writing.load(); }); });
  std::vector<std::int64_t> before;
  const std::int64_t begin = bench::now();
  peer.take(begin + seconds(4), [&](std::int64_t, std::int64_t delay) { return before.push_back(delay), true; });
  peer.down();
  const std::int64_t down = bench::now();
  bench::sleep_until(down + seconds(5));

  peer.up();
  const std::int64_t up = bench::now();
  std::int64_t first = 0;
  std::int64_t caught = 0;
  const std::size_t had = peer.received;
  peer.take(up + kPatience, [&](std::int64_t at, std::int64_t delay) {
    if (first == 0) first = at;
    if (delay < kFresh) caught = at;
    return caught == 0;
  });
  const std::size_t came = peer.received - had;
  std::vector<std::int64_t> after;
  peer.take(bench::now() + seconds(6), [&](std::int64_t, std::int64_t delay) { return after.push_back(delay), true; });
  const std::int64_t end = bench::now();
  writing = false;
  writer.join();
  peer.take(bench::now() + 2 * kSecond, [](std::int64_t, std::int64_t) { return true; });

  const double took = caught > first ? static_cast<double>(caught - first) / 1e9 : -1;
  const auto clock = [](std::int64_t time) { return static_cast<double>(time) / 1e9; };
  std::printf(
      "{\"sent\":%zu,\"received\":%zu,\"begin\":%.3f,\"down\":%.3f,\"up\":%.3f,\"first\":%.3f,\"caught\":%.3f,"
      "\"end\":%.3f,\"catch_up_lines_s\":%.0f,\"before_p99\":%.3f,\"after_p50\":%.3f,\"after_p99\":%.3f,"
      "\"after_max\":%.3f}\n",
      sent, peer.received, clock(begin), clock(down), clock(up), clock(first), clock(caught), clock(end),
      static_cast<double>(came) / took, bench::quantile(before, 0.99), bench::quantile(after, 0.5),
      bench::quantile(after, 0.99), bench::quantile(after, 1));
  return 0;
}
