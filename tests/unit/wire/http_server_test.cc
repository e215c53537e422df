// SPDX-License-Identifier: Apache-2.0
#include "wire/http_server.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/fake_clock.h"
#include "support/run_loop.h"
#include "support/sockets.h"

using namespace logweir;

namespace {

// The path says what the handler does.
template <typename AnyClock>
struct Site {
  explicit Site(HttpServer::Options options = {}) {
    server = HttpServer::open(loop, options, [this](const HttpRequest& request, HttpReply reply) {
               handle(request, std::move(reply));
             }).value();
  }
  void handle(const HttpRequest& request, HttpReply reply) {
    ++handled;
    if (request.path() == "/hello") reply.send({.body = "hello"});
    if (request.path() == "/echo") reply.send({.body = request.body});
    if (request.path() == "/large") reply.send({.body = std::string(8 << 20, 'x')});
    if (request.path() == "/later") kept.push_back(reply);
    if (request.path() == "/missing") reply.refuse(404);
    if (request.path() == "/end") server.reset();
  }
  Fd call(const std::string& text) {
    Fd client = connect_to(server->port());
    say(client, text);
    return client;
  }
  AnyClock clock;
  Loop loop{clock};
  int handled = 0;
  std::vector<HttpReply> kept;
  std::unique_ptr<HttpServer> server;
};
using RealSite = Site<SystemClock>;

std::string get(const std::string& path, const std::string& more = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
}
const std::string kClose = "Connection: close\r\n";

// All that comes until the server closes.
std::string hear_all(Loop& loop, const Fd& client) {
  std::string all;
  char buffer[65536];
  run_until(loop, [&] {
    const ssize_t got = recv(client.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) all.append(buffer, static_cast<std::size_t>(got));
    return got == 0 || (got < 0 && errno != EAGAIN);
  });
  return all;
}
bool hears(Loop& loop, const Fd& client, std::string_view what) {
  std::string all;
  return run_until(loop, [&] { return (all += hear_now(client)).find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("a request is answered and the connection closed when the client asks for it") {
  RealSite site;
  const Fd client = site.call(get("/hello", kClose));
  CHECK(hear_all(site.loop, client) ==
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\nConnection: "
        "close\r\n\r\nhello");
  CHECK(run_until(site.loop, [&] { return site.server->connections() == 1; }));
}

TEST_CASE("one connection serves one request after the other") {
  RealSite site;
  const Fd client = site.call("");
  for (int i = 0; i < 3; ++i) {
    say(client, get("/hello"));
    CHECK(hears(site.loop, client, "\r\n\r\nhello"));
  }
  CHECK(site.handled == 3);
  CHECK(site.server->connections() == 1);
}

TEST_CASE("pipelined requests are answered in order, one per turn") {
  RealSite site;
  std::string text;
  for (int i = 0; i < 50; ++i) {
    const std::string body = std::to_string(i);
    text += "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  const Fd client = site.call(text + get("/hello", kClose));
  const std::string all = hear_all(site.loop, client);
  std::size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    at = all.find("\r\n\r\n" + std::to_string(i), at);
    REQUIRE(at != std::string::npos);
  }
  CHECK(all.ends_with("hello"));
}

TEST_CASE("a HEAD request gets the head alone") {
  RealSite site;
  const Fd client = site.call("HEAD /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = hear_all(site.loop, client);
  CHECK(all.find("Content-Length: 5\r\n") != std::string::npos);
  CHECK(all.ends_with("\r\n\r\n"));
}

TEST_CASE("an answer may come later, twice is once, none at all is a 500") {
  RealSite site;
  const Fd late = site.call(get("/later", kClose));
  REQUIRE(run_until(site.loop, [&] { return site.kept.size() == 1; }));
  site.kept[0].send({.body = "first"});
  site.kept[0].send({.body = "second"});
  CHECK(hear_all(site.loop, late).ends_with("first"));
  const Fd never = site.call(get("/nobody", kClose));
  CHECK(hear_all(site.loop, never).starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST_CASE("answering is harmless when the client or the server is gone") {
  RealSite site;
  Fd client = site.call(get("/later"));
  REQUIRE(run_until(site.loop, [&] { return site.kept.size() == 1; }));
  reset_connection(client);
  run_turns(site.loop);
  site.kept[0].send({.body = std::string(1 << 20, 'x')});
  const Fd second = site.call(get("/later"));
  REQUIRE(run_until(site.loop, [&] { return site.kept.size() == 2; }));
  site.server.reset();
  site.kept[1].send({.body = "nobody hears this"});
}

TEST_CASE("a handler may end the server") {
  RealSite site;
  const Fd client = site.call(get("/end"));
  CHECK(hear_all(site.loop, client).empty());
  CHECK(site.server == nullptr);
}

TEST_CASE("an answer larger than the kernel's buffers is written as the client takes it") {
  RealSite site;
  const Fd client = site.call(get("/large", kClose));
  CHECK(hear_all(site.loop, client).size() > std::size_t{8 << 20});
}

TEST_CASE("a client that ends its side behind the request still hears the answer") {
  RealSite site;
  const Fd client = site.call(get("/hello"));
  shutdown(client.get(), SHUT_WR);
  CHECK(hear_all(site.loop, client).ends_with("hello"));
}

TEST_CASE("refusals say why and survive a client that is still sending") {
  RealSite site;
  const Fd missing = site.call(get("/missing", kClose));
  CHECK(hear_all(site.loop, missing).ends_with("\r\n\r\nNot Found\n"));
  const Fd method = site.call("PUT / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(hear_all(site.loop, method).find("Allow: GET, HEAD, POST") != std::string::npos);
  const Fd broken = site.call("what\r\n\r\n" + std::string(100'000, 'x'));
  shutdown(broken.get(), SHUT_WR);
  CHECK(hear_all(site.loop, broken).starts_with("HTTP/1.1 400 Bad Request\r\n"));
  const Fd large = site.call(std::string(20'000, 'x'));
  shutdown(large.get(), SHUT_WR);
  CHECK(hear_all(site.loop, large).starts_with("HTTP/1.1 431 "));
}

TEST_CASE("a body that is announced is asked for") {
  RealSite site;
  const Fd client = site.call("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  CHECK(hears(site.loop, client, "HTTP/1.1 100 Continue\r\n\r\n"));
  say(client, "body");
  CHECK(hears(site.loop, client, "\r\n\r\nbody"));
}

TEST_CASE("idle clients are closed and slow ones told, each after its time as a whole") {
  Site<FakeClock> site;
  const Fd idle = site.call("");
  const Fd slow = site.call("GET");
  for (int i = 0; i < 1000 && site.server->connections() < 2; ++i) site.loop.run_once();
  run_turns(site.loop);
  for (int i = 0; i < 31; ++i) {
    say(slow, "x");  // trickling helps nothing
    site.clock.advance(kSecond);
    site.loop.run_once();
  }
  site.clock.advance(3 * kSecond);  // the time in which the slow one could say more
  for (int i = 0; i < 1000 && site.server->connections() > 0; ++i) site.loop.run_once();
  CHECK(site.server->connections() == 0);
  char end;
  CHECK(recv(idle.get(), &end, 1, 0) == 0);
  CHECK(hear_now(slow).starts_with("HTTP/1.1 408 Request Timeout\r\n"));
}

TEST_CASE("at the most connections the longest silent one makes room") {
  RealSite site({.most_connections = 4});
  std::vector<Fd> silent;
  for (int i = 0; i < 4; ++i) {
    silent.push_back(site.call("GET / HT"));
    CHECK(run_until(site.loop, [&] { return site.server->connections() == silent.size(); }));
  }
  const Fd client = site.call(get("/hello", kClose));
  CHECK(hear_all(site.loop, client).ends_with("hello"));
  CHECK(site.server->connections() <= 4);
  CHECK(hear_all(site.loop, silent[0]).empty());
}

TEST_CASE("when all connections are being answered a new one is turned away") {
  RealSite site({.most_connections = 2});
  const Fd first = site.call(get("/later"));
  const Fd second = site.call(get("/later", kClose));
  REQUIRE(run_until(site.loop, [&] { return site.kept.size() == 2; }));
  const Fd third = site.call(get("/hello"));
  CHECK(hear_all(site.loop, third).empty());
  site.kept[1].send({.body = "served"});
  CHECK(hear_all(site.loop, second).ends_with("served"));
}

TEST_CASE("a busy port is the caller's to handle") {
  RealSite site;
  const auto second =
      HttpServer::open(site.loop, {.port = site.server->port()}, [](const HttpRequest&, const HttpReply&) {});
  CHECK(second.status().code() == Code::busy);
}
