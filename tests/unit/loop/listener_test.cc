// SPDX-License-Identifier: Apache-2.0
#include "loop/listener.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <memory>
#include <string>
#include <vector>

#include "support/run_loop.h"
#include "support/sockets.h"

using namespace logweir;

namespace {

struct Host {
  Status open(Listener::Options options = {}) {
    auto result = Listener::open(loop, options,
                                 [this](std::unique_ptr<Stream> stream) { accepted.push_back(std::move(stream)); });
    if (!result.ok()) return result.status();
    listener = std::move(result).value();
    return {};
  }
  SystemClock clock;
  Loop loop{clock};
  std::vector<std::unique_ptr<Stream>> accepted;
  std::unique_ptr<Listener> listener;
};

bool contains(const Status& status, std::string_view part) { return status.message().find(part) != std::string::npos; }

}  // namespace

TEST_CASE("connections that wait together are all accepted") {
  Host host;
  REQUIRE(host.open().ok());
  std::vector<Fd> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(connect_to(host.listener->port()));
  CHECK(run_until(host.loop, [&] { return host.accepted.size() == 200; }));
}

TEST_CASE("IPv6, a name and all addresses can be listened on") {
  for (const char* name : {"::1", "localhost", "0.0.0.0", ""}) {
    CAPTURE(name);
    Host host;
    CHECK(host.open({.host = name}).ok());
  }
}

TEST_CASE("a paused listener leaves connections in the backlog") {
  Host host;
  REQUIRE(host.open().ok());
  host.listener->pause();
  const Fd client = connect_to(host.listener->port());
  for (int i = 0; i < 10; ++i) host.loop.run_once();
  CHECK(host.accepted.empty());
  host.listener->resume();
  CHECK(run_until(host.loop, [&] { return host.accepted.size() == 1; }));
}

TEST_CASE("a busy port is told with address, port and what to do") {
  Host first, second;
  REQUIRE(first.open().ok());
  const Status status = second.open({.port = first.listener->port()});
  CHECK(status.code() == Code::busy);
  CHECK(contains(status, "127.0.0.1:" + std::to_string(first.listener->port())));
  CHECK(contains(status, "choose another port"));
}

TEST_CASE("shared listeners have one port together") {
  Host first, second;
  REQUIRE(first.open({.shared = true}).ok());
  REQUIRE(second.open({.port = first.listener->port(), .shared = true}).ok());
  CHECK(second.listener->port() == first.listener->port());
}

TEST_CASE("addresses and ports that make no sense are refused") {
  Host host;
  CHECK(contains(host.open({.host = "192.0.2.1"}), "this machine has no such address"));
  CHECK(host.open({.port = 70000}).code() == Code::invalid);
  CHECK(host.open({.host = "no such host"}).code() == Code::invalid);
}

TEST_CASE("the accepting callback may destroy or pause the listener") {
  SystemClock clock;
  Loop loop(clock);
  std::unique_ptr<Listener> listener;
  int accepted = 0;
  listener = Listener::open(loop, {}, [&](std::unique_ptr<Stream>) {
               if (++accepted == 1) listener->pause();
               if (accepted == 2) listener.reset();
             }).value();
  std::vector<Fd> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(connect_to(listener->port()));
  CHECK(run_until(loop, [&] { return accepted == 1; }));
  for (int i = 0; i < 10; ++i) loop.run_once();
  CHECK(accepted == 1);
  listener->resume();
  CHECK(run_until(loop, [&] { return listener == nullptr; }));
}

TEST_CASE("a process without descriptors waits a moment instead of spinning") {
  Host host;
  std::vector<Status> troubles;
  REQUIRE(host.open({.trouble = [&](const Status& status) { troubles.push_back(status); }}).ok());
  const Fd client = connect_to(host.listener->port());
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &none);
  const std::uint64_t turns = host.loop.stats().turns;
  CHECK(run_until(host.loop, [&] { return troubles.size() == 2; }));
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(host.loop.stats().turns - turns < 2000);
  CHECK(troubles[0].code() == Code::full);
  CHECK(run_until(host.loop, [&] { return host.accepted.size() == 1; }));
}
