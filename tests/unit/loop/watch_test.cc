// SPDX-License-Identifier: Apache-2.0
#include "loop/watch.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "support/run_loop.h"

using namespace logweir;

namespace {

struct Heard {
  int wd;
  std::uint32_t mask;
  std::uint32_t cookie;
  std::string name;
};

struct Watched {
  Watched() {
    char pattern[] = "/tmp/logweir-watch-XXXXXX";
    directory = mkdtemp(pattern);
    watch = Watch::open(loop, [this](std::span<const WatchEvent> events) {
              for (const WatchEvent& event : events) {
                heard.push_back({event.wd, event.mask, event.cookie, std::string(event.name)});
                overflow = overflow || event.overflow();
                ended = ended || event.ended();
              }
            }).value();
  }
  ~Watched() { std::filesystem::remove_all(directory); }
  void touch(const std::string& name) const { std::ofstream(directory + "/" + name) << "x"; }

  SystemClock clock;
  Loop loop{clock};
  std::string directory;
  std::vector<Heard> heard;
  bool overflow = false;
  bool ended = false;
  std::unique_ptr<Watch> watch;
};

}  // namespace

TEST_CASE("events carry watch, mask and name, those of the directory itself no name") {
  Watched w;
  const int wd = w.watch->add(w.directory, IN_CREATE | IN_ATTRIB).value();
  w.touch("a");
  chmod(w.directory.c_str(), 0700);
  REQUIRE(run_until(w.loop, [&] { return w.heard.size() == 2; }));
  CHECK(w.heard[0].wd == wd);
  CHECK(w.heard[0].mask == IN_CREATE);
  CHECK(w.heard[0].name == "a");
  CHECK(w.heard[1].name.empty());
}

TEST_CASE("a rename is two events with one cookie") {
  Watched w;
  REQUIRE(w.watch->add(w.directory, IN_MOVE).ok());
  w.touch("a");
  std::filesystem::rename(w.directory + "/a", w.directory + "/b");
  REQUIRE(run_until(w.loop, [&] { return w.heard.size() == 2; }));
  CHECK(w.heard[0].mask == IN_MOVED_FROM);
  CHECK(w.heard[1].mask == IN_MOVED_TO);
  CHECK(w.heard[0].cookie == w.heard[1].cookie);
  CHECK(w.heard[0].cookie != 0);
}

TEST_CASE("a removed watch ends with its last event") {
  Watched w;
  const int wd = w.watch->add(w.directory, IN_CREATE).value();
  w.watch->remove(wd);
  w.touch("a");
  REQUIRE(run_until(w.loop, [&] { return w.ended; }));
  CHECK(w.heard.size() == 1);
}

TEST_CASE("a directory that vanishes ends its watch") {
  Watched w;
  std::filesystem::create_directory(w.directory + "/sub");
  REQUIRE(w.watch->add(w.directory + "/sub", IN_CREATE).ok());
  std::filesystem::remove(w.directory + "/sub");
  CHECK(run_until(w.loop, [&] { return w.ended; }));
}

TEST_CASE("what can't be watched is said") {
  Watched w;
  const auto result = w.watch->add(w.directory + "/nothing", IN_CREATE);
  CHECK(result.status().code() == Code::not_found);
  CHECK(result.status().message() == "watch " + w.directory + "/nothing: No such file or directory");
}

TEST_CASE("a queue that overflows in the kernel is told") {
  Watched w;
  std::ifstream limit("/proc/sys/fs/inotify/max_queued_events");
  int most = 0;
  limit >> most;
  if (most <= 0 || most > 100'000) return;
  REQUIRE(w.watch->add(w.directory, IN_MODIFY).ok());
  w.touch("a");
  w.touch("b");
  const int a = open((w.directory + "/a").c_str(), O_WRONLY), b = open((w.directory + "/b").c_str(), O_WRONLY);
  for (int i = 0; i < most; ++i) CHECK(write(i % 2 == 0 ? a : b, "x", 1) == 1);  // equal neighbours would be merged
  close(a);
  close(b);
  CHECK(run_until(w.loop, [&] { return w.overflow; }));
}

TEST_CASE("the hearer may destroy the watch") {
  Watched w;
  std::unique_ptr<Watch> watch;
  watch = Watch::open(w.loop, [&](std::span<const WatchEvent>) { watch.reset(); }).value();
  REQUIRE(watch->add(w.directory, IN_CREATE).ok());
  w.touch("a");
  w.touch("b");
  CHECK(run_until(w.loop, [&] { return watch == nullptr; }));
}
