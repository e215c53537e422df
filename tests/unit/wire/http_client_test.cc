// SPDX-License-Identifier: Apache-2.0
#include "wire/http_client.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/http_peer.h"
#include "support/run_loop.h"

namespace logweir {
namespace {

// A client and one call, with what it heard.
struct Bench {
  explicit Bench(const HttpPeer& peer, HttpClientOptions options = {}) : to{"127.0.0.1", peer.port(), false} {
    options.ignore_proxy_env = true;
    client = std::move(HttpClient::open(loop, std::move(options)).value());
    call = std::make_unique<HttpCall>(*client, [this](const HttpEnd& end) {
      ++ends;
      status = end.status;
      failure = end.failure;
      body = end.body;
      if (on_end) on_end();
    });
  }
  void start() {
    request = {"POST", &to, "/", {}, {&piece, 1}};
    call->start(request);
  }
  bool ended(int count) {
    return run_until(loop, [&] { return ends >= count; });
  }

  SystemClock clock;
  Loop loop{clock};
  HttpServerName to;
  std::string text = "hello";
  iovec piece{text.data(), text.size()};
  HttpSend request;
  std::unique_ptr<HttpClient> client;
  std::unique_ptr<HttpCall> call;
  std::function<void()> on_end;
  int ends = 0;
  int status = 0;
  std::string failure;
  std::string body;
};

HttpPeer::Step silence() {
  return {[](Fd&, const HttpPeer::Request&) { return true; }};
}

TEST_CASE("an answer's body is kept up to 64 KiB and read to its end") {
  HttpPeer peer({HttpPeer::say(HttpPeer::answer("201 Made", "", std::string(100'000, 'x'))), HttpPeer::ok()});
  Bench bench(peer);
  bench.start();
  REQUIRE(bench.ended(1));
  CHECK(bench.status == 201);
  CHECK(bench.body.size() == 64 * 1024);
  bench.start();
  REQUIRE(bench.ended(2));
  CHECK(bench.body.empty());
  CHECK(peer.requests().at(1).connection == 1);
  CHECK(peer.requests().at(1).body == "hello");
}

TEST_CASE("a cancelled call is not heard of, and can start again") {
  HttpPeer peer({silence(), HttpPeer::ok()});
  Bench bench(peer);
  bench.start();
  REQUIRE(run_until(bench.loop, [&] { return peer.requests().size() == 1; }));
  CHECK(bench.call->running());
  bench.call->cancel();
  CHECK_FALSE(bench.call->running());
  bench.start();
  REQUIRE(bench.ended(1));
  CHECK(bench.status == 200);
}

TEST_CASE("the callback may start the next request, or destroy its call") {
  HttpPeer peer({HttpPeer::ok()});
  Bench bench(peer);
  bench.on_end = [&] {
    if (bench.ends == 1) {
      bench.start();
    } else {
      bench.call.reset();
    }
  };
  bench.start();
  REQUIRE(bench.ended(2));
  CHECK(bench.call == nullptr);
  CHECK(bench.failure.empty());
}

TEST_CASE("a call may be destroyed while it looks up, connects or waits") {
  HttpPeer peer({silence()});
  Bench bench(peer);
  bench.to.host = "name.invalid";
  bench.start();
  bench.call.reset();
  CHECK(bench.ends == 0);
}

TEST_CASE("what is not HTTP is no answer") {
  for (const char* nonsense :
       {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 \r\n\r\n", "HTTP/1.1 099 Odd\r\n\r\n", "\r\n\r\n"}) {
    HttpPeer peer({HttpPeer::say(nonsense, false)});
    Bench bench(peer);
    bench.start();
    REQUIRE(bench.ended(1));
    CHECK(bench.status == 0);
    CHECK_FALSE(bench.failure.empty());
  }
}

TEST_CASE("a file that TLS needs and that is not there is told at once") {
  SystemClock clock;
  Loop loop(clock);
  HttpClientOptions options;
  options.ca_file = "/nowhere/ca.crt";
  const auto client = HttpClient::open(loop, options);
  REQUIRE_FALSE(client.ok());
  CHECK(client.status().message().find("/nowhere/ca.crt") != std::string::npos);
}

}  // namespace
}  // namespace logweir
