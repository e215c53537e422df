// SPDX-License-Identifier: Apache-2.0
#include "loop/jobs.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "support/run_loop.h"

using namespace logweir;

namespace {

// A job that blocks until the test lets it go.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool entered = false;
  bool open = false;

  void pass() {
    std::unique_lock lock(mutex);
    entered = true;
    changed.notify_all();
    changed.wait(lock, [this] { return open; });
  }
  void wait_entered() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return entered; });
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

}  // namespace

TEST_CASE("work runs on another thread and its end on the loop's") {
  SystemClock clock;
  Loop loop(clock);
  Jobs jobs(2);
  Jobs::Desk desk(jobs, loop);
  std::thread::id worked, ended;
  desk.run([&] { worked = std::this_thread::get_id(); }, [&] { ended = std::this_thread::get_id(); });
  CHECK(run_until(loop, [&] { return ended != std::thread::id(); }));
  CHECK(worked != std::this_thread::get_id());
  CHECK(ended == std::this_thread::get_id());
}

TEST_CASE("one blocked job does not hold up the others") {
  SystemClock clock;
  Loop loop(clock);
  Jobs jobs(2);
  Jobs::Desk desk(jobs, loop);
  Gate gate;
  int done = 0;
  desk.run([&] { gate.pass(); }, [&] { ++done; });
  for (int i = 0; i < 100; ++i) desk.run([] {}, [&] { ++done; });
  CHECK(run_until(loop, [&] { return done == 100; }));
  gate.let_go();
  CHECK(run_until(loop, [&] { return done == 101; }));
}

TEST_CASE("a desk that goes waits for its running job and forgets the rest") {
  SystemClock clock;
  Loop loop(clock);
  Jobs jobs(1);
  Gate gate;
  std::atomic<int> worked = 0;
  int done = 0;
  auto desk = std::make_unique<Jobs::Desk>(jobs, loop);
  desk->run([&] { gate.pass(), ++worked; }, [&] { ++done; });
  gate.wait_entered();
  // The second job never begins; giving it up lets the first one go on.
  std::shared_ptr<Gate> opener(&gate, [](Gate* held) { held->let_go(); });
  desk->run([&, opener] { ++worked; }, [&] { ++done; });
  opener.reset();
  desk.reset();
  run_turns(loop);
  CHECK(worked == 1);
  CHECK(done == 0);
}

TEST_CASE("desks of two loops share the threads") {
  SystemClock clock;
  Jobs jobs(2);
  std::atomic<int> total = 0;
  const auto work = [&] {
    Loop loop(clock);
    Jobs::Desk desk(jobs, loop);
    int done = 0;
    for (int i = 0; i < 200; ++i) desk.run([&] { ++total; }, [&] { ++done; });
    return run_until(loop, [&] { return done == 200; });
  };
  bool other_ok = false;
  std::thread other([&] { other_ok = work(); });
  CHECK(work());
  other.join();
  CHECK(other_ok);
  CHECK(total == 400);
}
