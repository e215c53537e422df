// SPDX-License-Identifier: Apache-2.0
#include "app/notify.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "support/run_loop.h"
#include "support/temp_directory.h"

namespace logweir {
namespace {

// A service manager's socket; "@name" is an abstract one.
class Manager {
 public:
  explicit Manager(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  }
  // The next datagram; empty when none is there.
  std::string heard() {
    char text[512];
    const ssize_t size = ::recv(socket_.get(), text, sizeof text, MSG_DONTWAIT);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

 private:
  Fd socket_;
};

Notify notify_to(const std::string& name) {
  auto notify = Notify::open(name);
  REQUIRE(notify.ok());
  return std::move(notify).value();
}

TEST_CASE("a manager hears at a path and at an abstract name") {
  const TempDirectory directory;
  for (const std::string& name : {directory.file("notify"), "@logweir-test-" + std::to_string(::getpid())}) {
    Manager manager(name);
    CHECK(notify_to(name).tell("READY=1\n"));
    CHECK(manager.heard() == "READY=1\n");
  }
}

TEST_CASE("without a manager nothing is said, and a name that is none is refused") {
  CHECK(notify_to("").tell("READY=1\n"));
  for (const std::string& name : {std::string("relative"), std::string("@"), "/" + std::string(107, 'x')}) {
    CHECK(Notify::open(name).status().code() == Code::invalid);
  }
  CHECK(Notify::open("/nowhere/notify").status().code() == Code::not_found);
}

TEST_CASE("a manager that has gone or does not read does not stop us") {
  const TempDirectory directory;
  auto manager = std::make_unique<Manager>(directory.file("notify"));
  const Notify notify = notify_to(directory.file("notify"));
  bool taken = true;
  for (int i = 0; i < 10'000 && taken; ++i) taken = notify.tell("WATCHDOG=1\n");
  CHECK_FALSE(taken);
  manager.reset();
  CHECK_FALSE(notify.tell("WATCHDOG=1\n"));
}

TEST_CASE("the environment says where, and for whom the watchdog is") {
  const auto place = [](const char* usec, const std::string& pid) {
    ::setenv("NOTIFY_SOCKET", "/run/x", 1);
    ::setenv("WATCHDOG_USEC", usec, 1);
    ::setenv("WATCHDOG_PID", pid.c_str(), 1);
    const NotifyPlace found = notify_place();
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
    return found;
  };
  const std::string own = std::to_string(::getpid());
  CHECK(place("3000000", own).socket == "/run/x");
  CHECK(place("3000000", own).watchdog == 3 * kSecond);
  CHECK(place("3000000", "").watchdog == 3 * kSecond);
  CHECK(place("3000000", "1").watchdog == 0);
  CHECK(place("3000000", "x").watchdog == 0);
  CHECK(place("-1", own).watchdog == 0);
  CHECK(place("18446744073709551615", own).watchdog == 0);
  CHECK(notify_place().socket.empty());
}

TEST_CASE("a heartbeat is ready, feeds the watchdog while the loop turns, and says when it stops") {
  const TempDirectory directory;
  Manager manager(directory.file("notify"));
  const SystemClock clock;
  Loop loop(clock);
  Heartbeat heartbeat(loop, notify_to(directory.file("notify")), 20 * kMillisecond);
  heartbeat.ready("2 inputs\nSTOPPING=1");
  CHECK(manager.heard() == "READY=1\nSTATUS=2 inputs STOPPING=1\n");
  for (int beats = 0; beats < 3; ++beats) {
    std::string heard;
    REQUIRE(run_until(loop, [&] { return !(heard = manager.heard()).empty(); }));
    CHECK(heard == "WATCHDOG=1\n");
  }
  heartbeat.reloading();
  heartbeat.ready("again");
  heartbeat.stopping("delivering");
  std::vector<std::string> said;
  for (std::string line = manager.heard(); !line.empty(); line = manager.heard()) {
    if (line != "WATCHDOG=1\n") said.push_back(line);
  }
  REQUIRE(said.size() == 3);
  CHECK(said[0].starts_with("RELOADING=1\nMONOTONIC_USEC="));
  CHECK(said[1] == "READY=1\nSTATUS=again\n");
  CHECK(said[2] == "STOPPING=1\nSTATUS=delivering\n");
}

}  // namespace
}  // namespace logweir
