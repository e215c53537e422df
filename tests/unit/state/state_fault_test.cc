// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "state/state.h"
#include "state_fixture.h"
#include "support/eventually.h"
#include "support/in_child.h"

using namespace logweir;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// A failed expectation in a child process ends it with the line's number (mod 256, never 0).
#define EXPECT(condition) \
  if (!(condition)) return __LINE__ % 255 + 1

// Resource. A tiny file system of its own, when this process may mount one.
class TinyDisk {
 public:
  explicit TinyDisk(std::string path) : path_(std::move(path)) {
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=256k,mode=0755") == 0;
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;
  ~TinyDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  void fill() const {
    std::ofstream hog(path_ + "/hog", std::ios::binary);
    while (hog << std::string(1024, 'h') && hog.flush()) {
    }
  }
  void empty() const { fs::remove(path_ + "/hog"); }

 private:
  std::string path_;
  bool mounted_ = false;
};

void put_many(State& state, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) state.put_position(i, "some.lane/tcp:somewhere:1234", i);
}

int run_in_unwritable(StateFixture& fixture) {
  if (::setuid(kNobody) != 0) return 99;
  const auto state = fixture.open();
  EXPECT(state != nullptr);
  EXPECT(holds(state->fault(), fixture.dir.path()));
  EXPECT(holds(state->fault(), "Permission denied"));
  EXPECT(fixture.log.count("warn:") == 1);
  EXPECT(fixture.log.count(fixture.dir.path()) == 1);
  state->put_position(1, "a", 1);
  StateFixture::synced(*state);
  EXPECT(state->latest_positions().size() == 1);
  EXPECT(!fs::exists(fixture.file("state.db")));
  return 0;
}

}  // namespace

TEST_CASE_FIXTURE(StateFixture, "an unwritable directory is a fault that names it, not the end") {
  if (::geteuid() != 0) return;  // needs to become nobody
  ::chmod(dir.path().c_str(), 0555);
  const int status = in_child([this] { return run_in_unwritable(*this); });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE_FIXTURE(StateFixture, "positions are read even when they cannot be saved") {
  if (::geteuid() != 0) return;
  {
    const auto state = open();
    state->put_position(1, "a", 7);
  }
  ::chmod(dir.path().c_str(), 0555);
  ::chmod(file("state.db").c_str(), 0444);
  const int status = in_child([this] {
    if (::setuid(kNobody) != 0) return 99;
    const auto state = open();
    EXPECT(state && !state->fault().empty());
    EXPECT(state->positions().size() == 1 && state->positions()[0].position == 7);
    return 0;
  });
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE_FIXTURE(StateFixture, "saving begins by itself once the directory can be made") {
  std::ofstream(file("in-the-way")) << "x";
  options.directory = file("in-the-way/state");
  {
    const auto state = open();
    REQUIRE(state);
    CHECK(holds(state->fault(), options.directory));
    state->put_position(1, "a", 9);
    fs::remove(file("in-the-way"));
    CHECK(eventually([&] { return state->fault().empty(); }));
    CHECK(log.count("saved again") == 1);
  }
  CHECK(positions(*open()).at({1, "a"}) == 9);
}

TEST_CASE_FIXTURE(StateFixture, "a full disk is a fault that passes, and nothing newer is lost") {
  const TinyDisk disk(dir.path());
  if (!disk.mounted()) {
    MESSAGE("no tmpfs can be mounted: skipped");
    return;
  }
  {
    const auto state = open();
    REQUIRE(state);
    state->put_position(1, "a", 1);
    synced(*state);
    disk.fill();
    put_many(*state, 2000);
    CHECK(eventually([&] { return !state->fault().empty(); }));
    CHECK(holds(state->fault(), file("state.db") + ": the disk is full"));
    synced(*state);
    CHECK(log.count("warn: positions are not saved") == 1);
    disk.empty();
    CHECK(eventually([&] { return state->fault().empty(); }));
  }
  CHECK(open()->positions().size() == 2001);
}

TEST_CASE_FIXTURE(StateFixture, "a disk that is full from the start is a fault that passes") {
  const TinyDisk disk(dir.path());
  if (!disk.mounted()) return;
  disk.fill();
  {
    const auto state = open();
    REQUIRE(state);
    CHECK(!state->fault().empty());
    state->put_position(1, "a", 1);
    disk.empty();
    CHECK(eventually([&] { return state->fault().empty(); }));
  }
  CHECK(open()->positions().size() == 1);
}

TEST_CASE_FIXTURE(StateFixture, "a file that may not grow is a fault, not a crash") {
  const int status = in_child([this] {
    ::signal(SIGXFSZ, SIG_IGN);
    const auto state = open();
    const rlimit limit{64 << 10, 64 << 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    put_many(*state, 5000);
    EXPECT(eventually([&] { return !state->fault().empty(); }));
    EXPECT(holds(state->fault(), "state.db"));
    StateFixture::synced(*state);
    EXPECT(state->latest_positions().size() == 5000);
    return 0;
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(open());
}

TEST_CASE_FIXTURE(StateFixture, "a directory that is removed under the agent is made anew with all it held") {
  options.directory = dir.file("state");
  {
    const auto state = open();
    put_many(*state, 100);
    synced(*state);
    fs::remove_all(options.directory);
    state->put_position(1000, "a", 1);
    synced(*state);
    CHECK(state->fault() == "");
    CHECK(fs::exists(options.directory + "/lock"));
    CHECK(log.count("removed or replaced") == 1);
  }
  CHECK(open()->positions().size() == 101);
}

TEST_CASE_FIXTURE(StateFixture, "a file damaged under the agent is moved aside and written anew") {
  {  // more than the page cache holds
    const auto state = open();
    put_many(*state, 20000);
    synced(*state);
  }
  {
    const auto state = open();
    const auto size = fs::file_size(file("state.db"));
    std::ofstream(file("state.db"), std::ios::binary | std::ios::in) << std::string(size, 'x');
    for (std::uint64_t i = 0; i < 20000; ++i) state->put_position(i, "some.lane/tcp:somewhere:1234", i + 1);
    CHECK(eventually([&] { return state->stats().damaged == 1 && state->fault().empty(); }));
  }
  const auto state = open();
  REQUIRE(state);
  CHECK(state->positions().size() == 20000);
  CHECK(positions(*state).at({7, "some.lane/tcp:somewhere:1234"}) == 8);
}
