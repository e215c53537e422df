// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "plugins/outputs/http/common.h"
#include "plugins/outputs/http/options.h"
#include "plugins/outputs/http/texts.h"
#include "support/http_output_bench.h"
#include "support/options.h"

namespace logweir {

namespace {

using http_out::HttpCompress;
using http_out::HttpFormat;
using http_out::HttpOutputOptions;

const std::string kDate = "{\"date\":1700000000.000000,\"log\":";

TEST_CASE("records go out as a JSON array, and a 200 delivers them") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) { o.uri = "in?x=1"; });
  CHECK(bench.send(bench.batch({"a", "b"})) == 2);
  REQUIRE(bench.settled(2));
  CHECK(bench.host.delivered() == 2);
  const HttpPeer::Request got = peer.requests().at(0);
  CHECK(got.head.starts_with("POST /in?x=1 HTTP/1.1\r\n"));
  CHECK(got.header("content-type") == "application/json");
  CHECK(got.header("expect").empty());
  CHECK(got.header("idempotency-key").size() == 32);
  CHECK(got.body == "[" + kDate + "\"a\"}," + kDate + "\"b\"}]");
  CHECK(bench.counted("2xx"));
}

TEST_CASE("json_lines end with a newline each, json_stream with nothing") {
  for (const auto& [format, behind] : {std::pair{HttpFormat::json_lines, "\n"}, {HttpFormat::json_stream, ""}}) {
    HttpPeer peer({HttpPeer::ok()});
    HttpBench bench(peer, [f = format](auto& o) { o.format = f; });
    bench.send(bench.batch({"a", "b"}));
    REQUIRE(bench.settled(2));
    CHECK(peer.requests().at(0).body == kDate + "\"a\"}" + behind + kDate + "\"b\"}" + behind);
  }
}

TEST_CASE("headers, the tag, basic authentication and the method are as asked") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) {
    o.headers = {"X-Team  web and more", "content-type text/x"};
    o.header_tag = "X-Tag";
    o.user = "me";
    o.password = "secret";
    o.method = http_out::HttpMethod::put;
  });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  const HttpPeer::Request got = peer.requests().at(0);
  CHECK(got.head.starts_with("PUT / HTTP/1.1\r\n"));
  CHECK(got.header("x-team") == "web and more");
  CHECK(got.header("content-type") == "text/x");
  CHECK(got.header("x-tag") == "t");
  CHECK(got.header("authorization") == "Basic bWU6c2VjcmV0");
}

TEST_CASE("with header_tag a request has records of one tag, and line breaks in it do no harm") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) { o.header_tag = "X-Tag"; });
  const Tag other{"o\r\nX-Evil: 1", 1};
  const BatchRef first = bench.batch({"a", "b"});
  const BatchRef second = bench.batch({"c"}, &other);
  const std::vector<Part> parts{{first.get(), 0, 2}, {second.get(), 0, 1}};
  CHECK(bench.output->send({parts, 0, 3, 3}) == 2);
  REQUIRE(bench.until([&] { return bench.host.readies == 1; }));
  CHECK(bench.output->send({std::span(parts).subspan(1), 2, 1, 1}) == 1);
  REQUIRE(bench.settled(3));
  CHECK(peer.requests().at(1).header("x-tag") == "o__X-Evil: 1");
  CHECK(peer.requests().at(1).header("x-evil").empty());
}

TEST_CASE("a 503 gives the records back, and the same records go out with the same key") {
  HttpPeer peer({HttpPeer::say(HttpPeer::answer("503 Busy")), HttpPeer::ok()});
  HttpBench bench(peer);
  const BatchRef batch = bench.batch({"a", "b"});
  bench.send(batch);
  REQUIRE(bench.settled(2));
  CHECK(bench.host.all.at(0).outcome == Outcome::retry);
  CHECK(bench.host.all.at(0).reason == "http_503");
  CHECK(bench.host.all.at(0).not_before == 0);
  // The lane offers them again at the head of more, cut in another way.
  const BatchRef more = bench.batch({"c"});
  const std::vector<Part> parts{{batch.get(), 0, 1}, {batch.get(), 1, 2}, {more.get(), 0, 1}};
  CHECK(bench.output->send({parts, 2, 3, 3}) == 2);
  REQUIRE(bench.settled(4));
  CHECK(bench.host.delivered() == 2);
  const auto got = peer.requests();
  CHECK(got.at(0).header("idempotency-key") == got.at(1).header("idempotency-key"));
  CHECK(got.at(0).body == got.at(1).body);
  CHECK(got.at(1).connection == 1);
}

TEST_CASE("the same text in other records has another key") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer);
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(2));
  const auto got = peer.requests();
  CHECK(got.at(0).body == got.at(1).body);
  CHECK(got.at(0).header("idempotency-key") != got.at(1).header("idempotency-key"));
}

TEST_CASE("Retry-After is honoured in seconds, as a date, and within bounds") {
  char date[64];
  const std::time_t then = std::time(nullptr) + 30;
  std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&then));
  for (const auto& [value, seconds] : {std::pair<std::string, int>{"7", 7}, {date, 30}, {"99999999999", 600}}) {
    HttpPeer peer({HttpPeer::say(HttpPeer::answer("429 Slow", "Retry-After: " + value + "\r\n"))});
    HttpBench bench(peer);
    const Nanos before = bench.loop.now();
    bench.send(bench.batch({"a"}));
    REQUIRE(bench.settled(1));
    CHECK(bench.host.all.at(0).reason == "http_429");
    CHECK(bench.host.all.at(0).not_before >= before + (seconds - 2) * kSecond);
    CHECK(bench.host.all.at(0).not_before <= bench.loop.now() + seconds * kSecond);
  }
}

TEST_CASE("too large a body goes out in halves until one record alone is refused") {
  const auto act = [](Fd& fd, const HttpPeer::Request& request) {
    const bool big = request.body.size() > 900;
    say(fd, HttpPeer::answer(big ? "413 Too Large" : "200 OK"));
    return true;
  };
  HttpPeer peer({{act}});
  HttpBench bench(peer);
  std::vector<std::string> lines(16, "small");
  lines[5] = std::string(1000, 'x');
  CHECK(bench.send(bench.batch(lines)) == 16);
  REQUIRE(bench.settled(16));
  CHECK(bench.host.delivered() == 15);
  for (const auto& one : bench.host.all) {
    if (one.outcome == Outcome::delivered) continue;
    CHECK(one.first == 5);
    CHECK(one.count == 1);
    CHECK(one.outcome == Outcome::rejected);
    CHECK(one.reason == "http_413");
  }
  for (std::size_t i = 1; i < bench.host.all.size(); ++i) {
    CHECK(bench.host.all[i].first == bench.host.all[i - 1].first + bench.host.all[i - 1].count);
  }
}

TEST_CASE("a size that was refused is not tried again at once, and later it is") {
  http_out::BodyLimit limit;
  const std::size_t most = limit.bytes();
  limit.refused(1'000'000);
  CHECK(limit.bytes() == 500'000);
  for (int i = 0; i < 64; ++i) limit.worked();
  CHECK(limit.bytes() == 1'000'000);
  for (int i = 0; i < 1000; ++i) limit.worked();
  CHECK(limit.bytes() == most);
  for (int i = 0; i < 100; ++i) limit.refused(1);
  CHECK(limit.bytes() == 16 * 1024);
}

TEST_CASE("a 400 rejects, and its text is told once") {
  HttpPeer peer({HttpPeer::say(HttpPeer::answer("400 Bad", "", "no such\x01 field\n" + std::string(2000, 'z')))});
  HttpBench bench(peer);
  for (int i = 1; i <= 3; ++i) {
    bench.send(bench.batch({"a"}));
    REQUIRE(bench.settled(static_cast<std::uint64_t>(i)));
  }
  CHECK(bench.host.count(Outcome::rejected) == 3);
  CHECK(bench.host.all.at(0).reason == "http_400");
  CHECK(bench.log.count("answered 400") == 1);
  CHECK(bench.log.count("no such? field zzz") == 1);
  for (const std::string& line : bench.log.lines()) CHECK(line.size() < 800);
}

TEST_CASE("a redirect is not followed") {
  HttpPeer peer({HttpPeer::say(HttpPeer::answer("302 Found", "Location: http://127.0.0.1:1/\r\n"))});
  HttpBench bench(peer);
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.all.at(0).outcome == Outcome::rejected);
  CHECK(bench.host.all.at(0).reason == "http_302");
}

TEST_CASE("a reset in the middle of the answer is no success") {
  const auto act = [](Fd& fd, const HttpPeer::Request&) {
    say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    reset_connection(fd);
    return false;
  };
  HttpPeer peer({{act}, HttpPeer::ok()});
  HttpBench bench(peer);
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.all.at(0).outcome == Outcome::retry);
  CHECK(bench.host.all.at(0).reason == "reset");
  CHECK(bench.counted("none"));
}

TEST_CASE("a refusal before the body's end is heard, though the peer then breaks the connection") {
  const auto act = [](Fd& fd, const HttpPeer::Request&) {
    say(fd, "HTTP/1.1 400 Bad\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad");
    ::shutdown(fd.get(), SHUT_WR);
    char byte = 0;
    while (::recv(fd.get(), &byte, 1, MSG_DONTWAIT) > 0) {
    }
    return false;
  };
  HttpPeer peer({{act, true}});
  HttpBench bench(peer);
  CHECK(bench.send(bench.batch(7000, 1000)) == 7000);
  REQUIRE(bench.settled(7000));
  CHECK(bench.host.all.at(0).reason == "http_400");
}

TEST_CASE("each status has its verdict") {
  using http_out::Verdict;
  const auto verdict = [](int status) {
    HttpEnd end;
    end.status = status;
    return http_out::judge(end);
  };
  for (const int status : {200, 201, 202, 204, 299}) CHECK(verdict(status) == Verdict::delivered);
  for (const int status : {0, 408, 425, 429, 500, 501, 502, 503, 504, 599}) CHECK(verdict(status) == Verdict::retry);
  for (const int status : {301, 400, 401, 403, 404, 409, 415, 422, 431}) CHECK(verdict(status) == Verdict::rejected);
  CHECK(verdict(413) == Verdict::too_large);
}

// Says this as soon as the head is there, and then reads the body or breaks the connection.
HttpPeer::Step early(std::string text, bool read) {
  return {[text = std::move(text), read](Fd& fd, const HttpPeer::Request& request) {
            say(fd, text);
            std::size_t left = read ? std::stoul("0" + request.header("content-length")) : 0;
            std::vector<char> buffer(1 << 16);
            while (left > 0) {
              const ssize_t got = ::recv(fd.get(), buffer.data(), std::min(left, buffer.size()), 0);
              if (got <= 0) return false;
              left -= std::min(left, static_cast<std::size_t>(got));
            }
            if (!read) reset_connection(fd);
            return false;
          },
          true};
}

TEST_CASE("a success before the body's end is one only when the body was taken") {
  for (const bool read : {true, false}) {
    HttpPeer peer({early(HttpPeer::answer("200 OK"), read)});
    HttpBench bench(peer);
    CHECK(bench.send(bench.batch(7000, 1000)) == 7000);
    REQUIRE(bench.settled(7000));
    CHECK(bench.host.delivered() == (read ? 7000 : 0));
    CHECK(bench.host.count(Outcome::retry) == (read ? 0 : 7000));
  }
}

TEST_CASE("a wish to wait before the body's end is heard") {
  HttpPeer peer({early(HttpPeer::answer("503 Busy", "Retry-After: 9\r\nConnection: close\r\n"), false)});
  HttpBench bench(peer);
  const Nanos before = bench.loop.now();
  CHECK(bench.send(bench.batch(7000, 1000)) == 7000);
  REQUIRE(bench.settled(7000));
  CHECK(bench.host.count(Outcome::retry) == 7000);
  const auto& one = bench.host.all.at(0);
  if (one.reason == "http_503") CHECK(one.not_before >= before + 8 * kSecond);
  CHECK((one.reason == "http_503" || one.reason == "reset"));  // the reset may have overtaken the words
}

TEST_CASE("a peer that went silent in the middle of a body is given up, and the retry has a connection of its own") {
  // It takes nothing more, and neither end nor reset comes from it. (Our end waits behind what it does not read.)
  std::atomic<bool> gone = false;
  const auto act = [&gone](Fd&, const HttpPeer::Request&) {
    gone.wait(false);
    return false;
  };
  HttpPeer peer({{act, true}, HttpPeer::ok()});
  const auto let_go = [&gone] {
    gone = true;
    gone.notify_all();
  };
  struct AtEnd {
    ~AtEnd() { run(); }
    std::function<void()> run;
  } const at_end{let_go};
  HttpBench bench(peer, [](auto& o) { o.read_idle_timeout = {kSecond}; });
  const BatchRef batch = bench.batch(7000, 1000);
  CHECK(bench.send(batch) == 7000);
  REQUIRE(bench.settled(7000));
  CHECK(bench.host.all.at(0).outcome == Outcome::retry);
  CHECK(bench.host.all.at(0).reason == "timeout");
  let_go();
  for (std::uint64_t sent = 14000; bench.host.delivered() == 0 && sent <= 140'000; sent += 7000) {
    CHECK(bench.send(batch) == 7000);  // a busy machine may be silent for as long
    REQUIRE(bench.settled(sent));
  }
  CHECK(bench.host.delivered() == 7000);
  const auto got = peer.requests();
  CHECK(got.back().connection > 1);
  CHECK(got.back().header("idempotency-key") == got.at(0).header("idempotency-key"));
}

TEST_CASE("a used connection that ends just as the next request comes is replaced unseen") {
  const auto close = [](Fd&, const HttpPeer::Request&) { return false; };
  HttpPeer peer({HttpPeer::ok(), {close}, HttpPeer::ok()});
  HttpBench bench(peer);
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  bench.send(bench.batch(3000, 300));
  REQUIRE(bench.settled(3001));
  CHECK(bench.host.delivered() == 3001);
  CHECK(bench.host.count(Outcome::retry) == 0);
  const auto got = peer.requests();
  REQUIRE(got.size() == 3);
  CHECK(got[1].connection == 1);
  CHECK(got[2].connection == 2);
  CHECK(got[2].body == got[1].body);
}

TEST_CASE("a peer that never answers is given up after the time limit") {
  HttpPeer peer({{[](Fd&, const HttpPeer::Request&) { return true; }}});
  HttpBench bench(peer, [](auto& o) { o.response_timeout = {100 * kMillisecond}; });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.all.at(0).reason == "timeout");
}

TEST_CASE("a peer that stalls is given up by read_idle_timeout") {
  const auto act = [](Fd& fd, const HttpPeer::Request&) {
    say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    return true;
  };
  HttpPeer peer({{act}});
  HttpBench bench(peer, [](auto& o) { o.read_idle_timeout = {100 * kMillisecond}; });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.all.at(0).reason == "timeout");
  CHECK(bench.log.count("for 100 ms") == 1);
}

TEST_CASE("chunked and long answers are read to their end, and the connection is used again") {
  const std::string chunk = "1000\r\n" + std::string(0x1000, 'c') + "\r\n";
  std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 25; ++i) chunked += chunk;
  HttpPeer peer(
      {HttpPeer::say(chunked + "0\r\n\r\n"), HttpPeer::say(HttpPeer::answer("200 OK", "", std::string(100'000, 'b')))});
  HttpBench bench(peer);
  for (int i = 1; i <= 3; ++i) {
    bench.send(bench.batch({"a"}));
    REQUIRE(bench.settled(static_cast<std::uint64_t>(i)));
  }
  CHECK(bench.host.delivered() == 3);
  CHECK(peer.requests().at(2).connection == 1);
}

TEST_CASE("a connection that the server closed while idle is replaced unseen") {
  HttpPeer peer({HttpPeer::say(HttpPeer::answer("200 OK"), false), HttpPeer::ok()});
  HttpBench bench(peer);
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  bench.send(bench.batch(3000, 300));
  REQUIRE(bench.settled(3001));
  CHECK(bench.host.count(Outcome::retry) == 0);
  CHECK(peer.requests().at(1).connection == 2);
}

TEST_CASE("a refused connection after an answer is no answer") {
  HttpBench bench;
  {
    HttpPeer peer({HttpPeer::say(HttpPeer::answer("400 Bad"), false)});
    bench.to(peer);
    bench.send(bench.batch({"a"}));
    REQUIRE(bench.settled(1));
  }
  bench.send(bench.batch({"b"}));
  REQUIRE(bench.settled(2));
  CHECK(bench.host.all.at(1).outcome == Outcome::retry);
  CHECK(bench.host.all.at(1).reason == "connect");
}

TEST_CASE("when an endpoint is dead or busy the next one gets the same body at once") {
  HttpPeer busy({HttpPeer::say(HttpPeer::answer("503 Busy"))});
  HttpPeer good({HttpPeer::ok()});
  int dead = 0;
  {
    dead = HttpPeer({HttpPeer::ok()}).port();
  }
  HttpBench bench(busy, [&](auto& o) {
    o.endpoints = {"127.0.0.1:" + std::to_string(dead), "http://127.0.0.1:" + std::to_string(busy.port()),
                   "127.0.0.1:" + std::to_string(good.port())};
  });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.delivered() == 1);
  CHECK(bench.host.all.size() == 1);
  bench.send(bench.batch({"b"}));
  REQUIRE(bench.settled(2));
  CHECK(busy.requests().size() == 1);
  CHECK(good.requests().size() == 2);
  CHECK(good.requests()[0].header("idempotency-key") == busy.requests()[0].header("idempotency-key"));
}

TEST_CASE("the best endpoint is tried again after a while, and later each time that it fails") {
  http_out::Endpoints endpoints({{"a", 1, false}, {"b", 1, false}});
  CHECK(endpoints.current(0) == 0);
  endpoints.failed(0, 0);
  CHECK(endpoints.current(29 * kSecond) == 1);
  CHECK(endpoints.current(30 * kSecond) == 0);
  endpoints.failed(0, 30 * kSecond);
  CHECK(endpoints.current(89 * kSecond) == 1);
  CHECK(endpoints.current(90 * kSecond) == 0);
  endpoints.worked(0);
  endpoints.failed(0, 100 * kSecond);
  CHECK(endpoints.current(130 * kSecond) == 0);
}

TEST_CASE("through a proxy the request names its server") {
  HttpPeer proxy({HttpPeer::ok()});
  HttpBench bench(proxy, [&](auto& o) {
    o.host = "far.invalid";
    o.port = 81;
    o.proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
  });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(proxy.requests().at(0).head.starts_with("POST http://far.invalid:81/ HTTP/1.1\r\n"));
}

TEST_CASE("a name that nobody knows is told as dns") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [&](auto& o) { o.host = "far.invalid"; });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.all.at(0).reason == "dns");
  CHECK(bench.log.count("far.invalid") == 1);
}

TEST_CASE("one request at a time, then the lane is told") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer);
  CHECK(bench.send(bench.batch({"a"})) == 1);
  CHECK(bench.send(bench.batch({"b"})) == 0);
  REQUIRE(bench.until([&] { return bench.host.readies == 1; }));
  CHECK(bench.send(bench.batch({"b"})) == 1);
  REQUIRE(bench.settled(2));
}

TEST_CASE("with concurrency several requests are under way") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) { o.concurrency = 2; });
  CHECK(bench.send(bench.batch({"a"})) == 1);
  CHECK(bench.send(bench.batch({"b"})) == 1);
  CHECK(bench.send(bench.batch({"c"})) == 0);
  bench.output->close();  // with two under way
  bench.output.reset();
  CHECK(bench.host.all.empty());
}

std::string gunzip(const std::string& packed) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string text(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST_CASE("gzip bodies say so and open to the text") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) {
    o.compress = HttpCompress::gzip;
    o.format = HttpFormat::json_lines;
  });
  bench.send(bench.batch(2000, 200));
  REQUIRE(bench.settled(2000));
  const HttpPeer::Request got = peer.requests().at(0);
  CHECK(got.header("content-encoding") == "gzip");
  const std::string text = gunzip(got.body);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2000);
  CHECK(got.body.size() < text.size() / 5);
}

TEST_CASE("closing while a body is compressed leaves nothing behind") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) { o.compress = HttpCompress::zstd; });
  bench.send(bench.batch(2000, 200));
  bench.output->close();
  bench.output.reset();
  CHECK(peer.requests().empty());
}

TEST_CASE("a pool without memory makes the lane wait a moment, not for ever") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer);
  const BatchRef batch = bench.batch({"a"});
  std::vector<ChunkRef> hog;
  while (ChunkRef chunk = bench.pool.take(Use::outflow)) hog.push_back(std::move(chunk));
  CHECK(bench.send(batch) == 0);
  REQUIRE(bench.until([&] { return bench.host.readies == 1; }));
  hog.clear();
  CHECK(bench.send(batch) == 1);
  REQUIRE(bench.settled(1));
}

TEST_CASE("servers are read with and without scheme and port") {
  using http_out::parse_server;
  CHECK(parse_server(" a.example:70 ", 1, false).value().text() == "http://a.example:70");
  CHECK(parse_server("a", 80, false).value().text() == "http://a:80");
  CHECK(parse_server("https://[::1]:9/", 1, false).value().text() == "https://[::1]:9");
  for (const char* wrong : {"", ":1", "a:", "a:0", "a:65536", "a:b", "[::1", "[::1]9", "a b:1", "a@b:1", "http://a/x",
                            "ftp://a", "::1", "a\r\n:1", "a?b"}) {
    CHECK_FALSE(parse_server(wrong, 1, false).ok());
  }
}

Problems problems(const std::vector<std::pair<std::string, std::string>>& keys) {
  return problems_of(kHttpOutput.schema, kHttpOutput.make_options(), keys);
}

TEST_CASE("options that can't be kept are refused in a sentence") {
  CHECK_FALSE(
      problems({{"Host", "h"}, {"port", "1"}, {"uri", "/x"}, {"header", "A b"}, {"compress", "gzip"}}).failed());
  CHECK(problems({{"header", "X-A b\r\nX-Evil: 1"}}).text().find("line break") != std::string::npos);
  CHECK(problems({{"header", "X-A"}}).text().find("NAME VALUE") != std::string::npos);
  CHECK(problems({{"header", "Content-Length 3"}}).failed());
  CHECK(problems({{"compress", "snappy"}}).failed());
  CHECK(problems({{"endpoints", "a:1, b:x"}}).failed());
  CHECK(problems({{"port", "0"}}).failed());
  CHECK(problems({{"uri", "/a b"}}).failed());
  CHECK(problems({{"proxy", "socks5://x"}}).failed());
  CHECK(problems({{"http_passwd", "x"}}).failed());
  CHECK(problems({{"http_bearer_token", "a\nb"}}).failed());
  CHECK(problems({{"tls.crt_file", "/x"}}).failed());
  CHECK(problems({{"json_date_format", "stardate"}}).failed());
}

TEST_CASE("secrets are not shown") {
  const auto options = kHttpOutput.make_options();
  auto& o = *static_cast<HttpOutputOptions*>(options.get());
  o.password = o.bearer = o.key_password = "hushhush";
  CHECK(render_values(*kHttpOutput.schema, &o, 0).find("hushhush") == std::string::npos);
}

TEST_CASE("the destination names server and path") {
  HttpOutputOptions o;
  o.host = "a.example";
  o.port = 8080;
  o.uri = "in";
  CHECK(kHttpOutput.destination(&o) == "http:a.example:8080/in");
}

}  // namespace
}  // namespace logweir
