// SPDX-License-Identifier: Apache-2.0
#include "loop/dial.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/listener.h"
#include "support/run_loop.h"
#include "support/sockets.h"

using namespace logweir;

namespace {

using Answer = Result<std::unique_ptr<Stream>>;

struct Caller {
  void dial(const std::string& host, int port, Nanos timeout = 5 * kSecond) {
    dialling = std::make_unique<Dial>(loop, host, port, timeout, [this](Answer result) { answer = std::move(result); });
  }
  bool wait() {
    return run_until(loop, [&] { return answer.has_value(); });
  }
  SystemClock clock;
  Loop loop{clock};
  std::optional<Answer> answer;
  std::unique_ptr<Dial> dialling;
};

// A port of this machine that refuses: bound, never listened on, kept from others meanwhile.
struct DeadPort {
  DeadPort() : socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    number = ntohs(address.sin_port);
  }
  Fd socket;
  int number = 0;
};

}  // namespace

TEST_CASE("a dial reaches a listener by address and by name") {
  for (const char* host : {"127.0.0.1", "localhost"}) {
    CAPTURE(host);
    Caller caller;
    std::vector<std::unique_ptr<Stream>> accepted;
    const auto listener = Listener::open(caller.loop, {.host = host}, [&](auto stream) {
                            accepted.push_back(std::move(stream));
                          }).value();
    caller.dial(host, listener->port());
    CHECK_FALSE(caller.answer.has_value());
    REQUIRE(caller.wait());
    REQUIRE(caller.answer->ok());
    CHECK(run_until(caller.loop, [&] { return accepted.size() == 1; }));
  }
}

TEST_CASE("a refused connection says who was asked") {
  Caller caller;
  const DeadPort dead;
  caller.dial("127.0.0.1", dead.number);
  CHECK_FALSE(caller.answer.has_value());
  REQUIRE(caller.wait());
  CHECK(caller.answer->status().code() == Code::unavailable);
  CHECK(caller.answer->status().message() ==
        "connect to 127.0.0.1:" + std::to_string(dead.number) + ": Connection refused");
}

TEST_CASE("a name that does not exist and a port that can't be are answered, never thrown") {
  Caller caller;
  caller.dial("no-such-host.invalid", 80);
  REQUIRE(caller.wait());
  CHECK(caller.answer->status().message().find("look up no-such-host.invalid") == 0);
  caller.answer.reset();
  caller.dial("127.0.0.1", 70000);
  REQUIRE(caller.wait());
  CHECK(caller.answer->status().code() == Code::invalid);
}

TEST_CASE("a peer that never answers is given up in time") {
  Caller caller;
  // A listener whose backlog is full drops what else comes: the nearest thing to a black hole on loopback.
  const Fd full(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(full.get(), reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(full.get(), reinterpret_cast<sockaddr*>(&address), &size);
  ::listen(full.get(), 0);
  const int port = ntohs(address.sin_port);
  const Fd first = connect_to(port);
  caller.dial("127.0.0.1", port, 50 * kMillisecond);
  const Nanos began = caller.loop.now();
  REQUIRE(caller.wait());
  CHECK(caller.answer->status().message().find("no answer within the time allowed") != std::string::npos);
  CHECK(caller.loop.now() - began >= 50 * kMillisecond);
}

TEST_CASE("a dial destroyed on its way calls nobody") {
  for (const char* host : {"127.0.0.1", "localhost", "no-such-host.invalid"}) {
    Caller caller;
    const DeadPort dead;
    caller.dial(host, dead.number);
    caller.dialling.reset();
    for (int i = 0; i < 20; ++i) caller.loop.run_once();
    CHECK_FALSE(caller.answer.has_value());
  }
}

TEST_CASE("a dial may be destroyed by its own answer") {
  SystemClock clock;
  Loop loop(clock);
  const DeadPort dead;
  std::unique_ptr<Dial> dial;
  dial = std::make_unique<Dial>(loop, "127.0.0.1", dead.number, kSecond, [&](Answer) { dial.reset(); });
  CHECK(run_until(loop, [&] { return dial == nullptr; }));
}
