// SPDX-License-Identifier: Apache-2.0
#include "state/state.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/file_system.h"
#include "state_fixture.h"
#include "support/eventually.h"
#include "support/in_child.h"

using namespace logweir;

namespace {

mode_t mode_of(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

// How often the state's thread has gone to sleep so far.
long naps() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string path = task.path();
    if (read_file(path + "/comm", 100).value() != "state\n") continue;
    constexpr std::string_view key = "\nvoluntary_ctxt_switches:";
    const std::string status = read_file(path + "/status", 1 << 16).value();
    return std::stol(status.substr(status.find(key) + key.size()));
  }
  return -1;
}

void pause_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// A promise about time holds where the machine gives the threads their turn: one good attempt of many shows it.
template <typename Attempt>
bool within_attempts(const Attempt& attempt) {
  for (int i = 0; i < 30; ++i) {
    StateFixture each;
    if (attempt(each)) return true;
  }
  return false;
}

// Runs `work` on an open state in a process that then kills itself.
template <typename Work>
void killed_after(StateFixture& each, const Work& work) {
  const int status = in_child([&each, &work] {
    const auto state = each.open();
    work(*state);
    return ::kill(::getpid(), SIGKILL);
  });
  CHECK(WIFSIGNALED(status));
}

auto positions_of(StateFixture& each) { return StateFixture::positions(*each.open()); }

}  // namespace

TEST_CASE_FIXTURE(StateFixture, "positions and facts come back after a restart") {
  const std::string bytes("a\0b'\xff", 5);
  {
    const auto state = open();
    REQUIRE(state);
    CHECK(state->positions().empty());
    state->put_position(0xFFFFFFFFFFFFFFFE, "out.0/tcp:h:1", 0x8000000000000001);
    state->put_position(5, state->lane("b"), 17);
    state->put_fact("tail.0", bytes, bytes);
    state->put_fact("tail.0", "empty", "");
  }
  const auto state = open();
  REQUIRE(state);
  CHECK(positions(*state) ==
        decltype(positions(*state)){{{0xFFFFFFFFFFFFFFFE, "out.0/tcp:h:1"}, 0x8000000000000001}, {{5, "b"}, 17}});
  REQUIRE(state->facts().size() == 2);
  CHECK(state->facts()[0].value == bytes);
  CHECK(state->facts()[0].key == bytes);
  CHECK(state->fault() == "");
}

TEST_CASE_FIXTURE(StateFixture, "dropped sources and facts stay away") {
  {
    const auto state = open();
    for (std::uint64_t source = 1; source <= 3; ++source) {
      state->put_position(source, "a", 1);
      state->put_position(source, "b", 2);
    }
    state->put_fact("in", "k", "v");
    synced(*state);
    state->drop_source(2);
    state->drop_fact("in", "k");
    CHECK(state->latest_positions().size() == 4);
    CHECK(state->latest_facts().empty());
  }
  const auto state = open();
  CHECK(state->positions().size() == 4);
  CHECK(positions(*state).count({2, "a"}) == 0);
  CHECK(state->facts().empty());
  state->forget_opened();
  CHECK(state->positions().empty());
  CHECK(state->latest_positions().size() == 4);
}

TEST_CASE_FIXTURE(StateFixture, "directory and files are private, whatever the umask") {
  options.directory = dir.file("deep/state");
  const mode_t before = ::umask(0);
  const auto state = open();
  ::umask(before);
  REQUIRE(state);
  state->put_position(1, "a", 1);
  synced(*state);
  CHECK(mode_of(options.directory) == 0700);
  for (const char* name : {"/state.db", "/state.db-wal", "/lock"}) CHECK(mode_of(options.directory + name) == 0600);
  CHECK(!std::filesystem::exists(options.directory + "/state.db-shm"));
}

TEST_CASE("what was put survives kill -9 fifteen milliseconds later") {
  CHECK(within_attempts([](StateFixture& each) {
    killed_after(each, [](State& state) {
      for (std::uint64_t i = 1; i <= 200; ++i) state.put_position(1, "a", i);
      pause_ms(15);
    });
    return positions_of(each)[{1, "a"}] == 200;
  }));
}

TEST_CASE("a stream of puts that ends in kill -9 comes back to within the interval") {
  CHECK(within_attempts([](StateFixture& each) {
    killed_after(each, [](State& state) {
      for (std::uint64_t i = 1; i <= 100; ++i) {
        state.put_position(1, "a", i);
        pause_ms(1);
      }
    });
    return positions_of(each)[{1, "a"}] >= 88;
  }));
}

TEST_CASE_FIXTURE(StateFixture, "a second agent is told who holds the directory") {
  const auto state = open();
  const auto second = State::open(options, {});
  REQUIRE(!second.ok());
  CHECK(second.status().code() == Code::busy);
  CHECK(second.status().message().find(dir.path()) != std::string::npos);
  CHECK(second.status().message().find("pid " + std::to_string(::getpid())) != std::string::npos);
}

TEST_CASE_FIXTURE(StateFixture, "a barrier comes after the sync of what was put before, and many share one") {
  const auto state = open();
  std::atomic<int> order{0};
  int first = 0;
  int second = 0;
  state->put_position(1, "a", 1);
  state->barrier([&] { first = ++order; });
  state->barrier([&] { second = ++order; });
  synced(*state);
  CHECK(first == 1);
  CHECK(second == 2);
  CHECK(state->stats().syncs >= 1);
  std::atomic<int> served{0};
  const auto before = state->stats().syncs;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    state->put_position(1, "a", 10 + i);
    state->barrier([&] { ++served; });
  }
  CHECK(eventually([&] { return served == 1000; }));
  CHECK(state->stats().syncs - before < 1000);
}

TEST_CASE_FIXTURE(StateFixture, "a barrier with nothing to write is answered at once, and may be asked from one") {
  const auto state = open();
  std::promise<void> done;
  state->barrier([&] { state->barrier([&] { done.set_value(); }); });
  CHECK(done.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready);
  CHECK(state->stats().syncs == 0);
}

TEST_CASE_FIXTURE(StateFixture, "a put is synced by itself within the interval") {
  options.sync_every = 30 * kMillisecond;
  const auto state = open();
  state->put_position(1, "a", 1);
  CHECK(eventually([&] { return state->stats().syncs == 1; }));
  CHECK(state->stats().writes == 1);
}

TEST_CASE_FIXTURE(StateFixture, "the thread sleeps when there is nothing to write") {
  const auto state = open();
  state->put_position(1, "a", 1);
  synced(*state);
  long before = naps();
  pause_ms(20);
  CHECK(eventually([&before] { return std::exchange(before, naps()) == before; }));  // it is done with the barrier
  pause_ms(200);
  CHECK(naps() == before);
}

TEST_CASE_FIXTURE(StateFixture, "puts from many threads are all kept") {
  {
    const auto state = open();
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&state, t] {
        for (std::uint64_t i = 1; i <= 2000; ++i) {
          state->put_position(i % 10, "lane" + std::to_string(t), i);
          if (i % 500 == 0) state->put_fact("in", std::to_string(t), std::to_string(i));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const auto state = open();
  CHECK(state->positions().size() == 40);
  CHECK(positions(*state).at({9, "lane3"}) == 1999);
  CHECK(state->facts().size() == 4);
}
