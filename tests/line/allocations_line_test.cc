// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <thread>

#include "pipeline/pipeline.h"
#include "plugins/builtin.h"
#include "support/options.h"

namespace {
std::atomic<bool> counting{false};
std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t size, std::size_t align) {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
  void* block = align > alignof(std::max_align_t) ? std::aligned_alloc(align, (size + align - 1) / align * align)
                                                  : std::malloc(size != 0 ? size : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, 0); }
void* operator new(std::size_t size, std::align_val_t align) { return counted(size, static_cast<std::size_t>(align)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size, 0); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace logweir {

namespace {

// A peer that reads and throws away, counting lines without a single allocation.
class Drain {
 public:
  Drain() {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&at), size) == 0);
    REQUIRE(::listen(listener_, 1) == 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port = ntohs(at.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~Drain() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  int port = 0;
  std::atomic<std::uint64_t> lines{0};

 private:
  void run() {
    const int peer = ::accept(listener_, nullptr, nullptr);
    static char buffer[1 << 18];
    for (ssize_t n = 0; peer >= 0 && (n = ::read(peer, buffer, sizeof buffer)) > 0;) {
      lines += static_cast<std::uint64_t>(std::count(buffer, buffer + n, '\n'));
    }
    ::close(peer);
  }
  int listener_ = -1;
  std::thread thread_;
};

OptionsPtr options_of(const Schema& schema, const std::shared_ptr<void>& options,
                      const std::vector<std::pair<std::string, std::string>>& keys) {
  const Problems problems = problems_of(&schema, options, keys);
  REQUIRE_MESSAGE(!problems.failed(), problems.text());
  return options;
}

template <typename Entry>
const Entry& named(std::span<const Entry* const> entries, std::string_view name) {
  for (const Entry* entry : entries) {
    if (entry->name == name) return *entry;
  }
  FAIL("no such plugin");
  std::abort();
}

}  // namespace

TEST_CASE("a million lines from a file to a socket cost a constant number of allocations") {
  constexpr std::uint64_t kLines = 1'000'000;
  char folder[] = "/tmp/logweir-allocations-XXXXXX";
  REQUIRE(::mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/app.log";
  {
    std::ofstream file(path);
    for (std::uint64_t i = 0; i < kLines; ++i) file << "level=info seq=" << i << " a line such as programs write\n";
  }
  const Shelf shelf = builtin_shelf();
  const InputEntry& tail = named(shelf.inputs, "tail");
  const OutputEntry& tcp = named(shelf.outputs, "tcp");
  Drain drain;
  {
    SystemClock clock;
    Loop loop(clock);
    Metrics metrics;
    Budget budget(64 << 20);
    Jobs jobs(1);
    const OptionsPtr tail_options =
        options_of(*tail.schema, tail.make_options(), {{"path", path}, {"read_from_head", "on"}});
    const auto shared = tail.make_shared(tail_options);
    SharedServices services{loop, Log(), metrics, "tail.0", "t", 1, 1, {}, {}};
    PipelineSpec spec;
    spec.budget = &budget;
    spec.metrics = &metrics;
    spec.jobs = &jobs;
    spec.finished = [] {};
    spec.inputs.push_back({&tail, "tail.0", "tail.0", "t", {}, tail_options, shared.get()});
    spec.outputs.push_back({&tcp, "tcp.0", "tcp.0", "*", "", LaneOptions{}, 0,
                            options_of(*tcp.schema, tcp.make_options(), {{"port", std::to_string(drain.port)}}),
                            nullptr});
    REQUIRE(shared->open(services).ok());
    Pipeline pipeline(loop, std::move(spec));
    REQUIRE(pipeline.open_outputs().ok());
    REQUIRE(pipeline.open_inputs().ok());
    const Nanos deadline = clock.mono() + 60 * kSecond;
    while (drain.lines < kLines && clock.mono() < deadline) {
      loop.run_once();
      if (!counting && drain.lines > kLines / 10) counting = true;
    }
    counting = false;
    CHECK(drain.lines == kLines);
    MESSAGE("allocations while nine tenths of a million lines passed: ", allocations.load());
    // What grows is bounded by the lane's budget, not by the lines: how deep the queue gets depends on the peer's pace.
    CHECK(allocations < 1000);
    shared->close();
    pipeline.close();
  }
  std::filesystem::remove_all(folder);
}

}  // namespace logweir
