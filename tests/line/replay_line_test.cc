// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "state/state.h"
#include "support/line_bench.h"

namespace logweir {

namespace {

class TempDir {
 public:
  TempDir() {
    char path[] = "/tmp/logweir-test-XXXXXX";
    path_ = ::mkdtemp(path);
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string str() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::unique_ptr<State> state_in(const TempDir& dir) {
  State::Options options;
  options.directory = dir.str() + "/state";
  auto state = State::open(options, Log());
  REQUIRE(state.ok());
  return std::move(state).value();
}

}  // namespace

TEST_CASE("after a restart each lane gets what it had not delivered and nothing that it had") {
  const TempDir dir;
  {
    auto state = state_in(dir);
    LineBench bench;
    bench.output("healthy");
    bench.output("behind");
    bench.open(state.get());
    bench.in().say({"a", "b"});
    bench.in().say({"c", "d"});
    bench.pass();
    bench.out(0).deliver_all();
    bench.out(1).settle(2, Outcome::delivered);
    bench.pass();
  }
  auto state = state_in(dir);
  LineBench bench;
  bench.output("healthy");
  bench.output("behind");
  bench.open(state.get());
  CHECK(bench.in().position == 4);
  bench.in().say({"c", "d"});
  bench.in().say({"e"});
  bench.pass();
  bench.out(0).deliver_all();
  bench.out(1).deliver_all();
  CHECK(bench.out(0).delivered == std::vector<std::string>{"e"});
  CHECK(bench.out(1).delivered == std::vector<std::string>{"c", "d", "e"});
  CHECK(bench.pipeline->snapshot().ledger.replayed == 2);
  CHECK(bench.discrepancy() == 0);
}

TEST_CASE("an output that is new starts where the one furthest behind is") {
  const TempDir dir;
  {
    auto state = state_in(dir);
    LineBench bench;
    bench.output("old");
    bench.open(state.get());
    bench.in().say({"a", "b"});
    bench.pass();
    bench.out(0).deliver_all();
    bench.pass();
  }
  auto state = state_in(dir);
  LineBench bench;
  bench.output("old");
  bench.output("new");
  bench.open(state.get());
  CHECK(bench.in().position == 4);
}

TEST_CASE("a source that was opened at its end keeps that place though nothing was read") {
  const TempDir dir;
  {
    auto state = state_in(dir);
    Ledger ledger({"a"}, state.get());
    ledger.open(99, 1234);
    ledger.checkpoint();
  }
  auto state = state_in(dir);
  Ledger ledger({"a"}, state.get());
  CHECK(Ledger::start_of(*ledger.open(99, 5000)) == 1234);
}

}  // namespace logweir
