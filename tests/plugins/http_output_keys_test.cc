// SPDX-License-Identifier: Apache-2.0
// Fluent Bit's further keys of the http output: headers, bodies of records, the network.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <optional>

#include "plugins/outputs/http/own_body.h"
#include "plugins/outputs/http/texts.h"
#include "support/http_output_bench.h"
#include "support/options.h"

namespace logweir {

namespace {

using http_out::HttpOutputOptions;

Problems problems(const std::vector<std::pair<std::string, std::string>>& keys) {
  return problems_of(kHttpOutput.schema, kHttpOutput.make_options(), keys);
}

std::size_t occurrences(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// A record with a JSON body, as the parser leaves it.
BatchRef json_batch(HttpBench& bench, const std::vector<std::string>& objects) {
  BatchRef batch = bench.batch(objects);
  for (Record& record : batch->records) record.body = Body::json;
  return batch;
}

TEST_CASE("an answer's words are logged unless log_response_payload is off") {
  for (const bool on : {true, false}) {
    HttpPeer peer({HttpPeer::say(HttpPeer::answer("400 Bad", "", "private words")),
                   HttpPeer::say(HttpPeer::answer("503 Busy", "", "private words")),
                   HttpPeer::say(HttpPeer::answer("200 OK", "", "private words"))});
    HttpBench bench(peer, [on](auto& o) { o.log_answers = on; });
    for (std::uint64_t i = 1; i <= 3; ++i) {
      bench.send(bench.batch({"a"}));
      REQUIRE(bench.settled(i));
    }
    CHECK((bench.log.count("private words") >= 2) == on);
    CHECK(bench.log.count("answered 400") == 1);
    CHECK(bench.log.count("answered 503") == 1);
  }
}

TEST_CASE("headers of one name are all sent, or the last one with allow_duplicated_headers off") {
  for (const bool on : {true, false}) {
    HttpPeer peer({HttpPeer::ok()});
    HttpBench bench(peer, [on](auto& o) {
      o.headers = {"X-Team a", "x-team b", "X-Other c"};
      o.header_tag = "X-TEAM";
      o.repeated_headers = on;
    });
    bench.send(bench.batch({"a"}));
    REQUIRE(bench.settled(1));
    const std::string head = peer.requests().at(0).head;
    CHECK(occurrences(head, "-Team: a\r\n") == (on ? 1 : 0));
    CHECK(occurrences(head, "-team: b\r\n") == (on ? 1 : 0));
    CHECK(occurrences(head, "X-TEAM: t\r\n") == 1);
    CHECK(occurrences(head, "X-Other: c\r\n") == 1);
    CHECK(occurrences(head, "Content-Type: application/json\r\n") == 1);
  }
}

TEST_CASE("with body_key each record is a request of its own, with its own headers") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) {
    o.body_key = "$b";
    o.headers_key = "$h";
    o.headers = {"X-Team web"};
  });
  const BatchRef batch = json_batch(
      bench,
      {R"({"b":"one \u20ac","h":{"Content-Type":"text/x","X-A":"1","X-N":5,"Bad Name":"x","X-Evil":"a\r\nb: c"}})",
       R"({"b":"two","h":7})"});
  CHECK(bench.send(batch) == 1);
  REQUIRE(bench.until([&] { return bench.host.readies == 1; }));
  CHECK(bench.OutputBench::send(batch, 1) == 1);
  REQUIRE(bench.settled(2));
  CHECK(bench.host.delivered() == 2);
  const auto got = peer.requests();
  CHECK(got.at(0).body == "one \xE2\x82\xAC");
  CHECK(got.at(0).header("content-type") == "text/x");
  CHECK(got.at(0).header("x-a") == "1");
  CHECK(got.at(0).header("x-team") == "web");
  for (const char* absent : {"x-n", "bad name", "x-evil", "b"}) CHECK(got.at(0).header(absent).empty());
  CHECK(got.at(1).body == "two");
  CHECK(got.at(1).header("content-type").empty());
}

TEST_CASE("a record without the body's key is rejected, and the next one goes on") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) {
    o.body_key = "$b";
    o.headers_key = "$h";
  });
  for (const char* object : {R"({"c":"x"})", R"({"b":5})", R"({"b":""})"}) {
    bench.send(json_batch(bench, {object}));
    REQUIRE(bench.settled(bench.kept.size()));
  }
  CHECK(bench.host.count(Outcome::rejected) == 2);
  CHECK(bench.host.all.at(0).reason == "no_body");
  CHECK(bench.host.all.at(2).outcome == Outcome::delivered);
  CHECK(peer.requests().at(0).body.empty());
}

TEST_CASE("keys for bodies and ids that can't work are refused in a sentence") {
  CHECK_FALSE(problems({{"body_key", "$b"}, {"headers_key", "$h"}}).failed());
  CHECK(problems({{"body_key", "$b"}}).text().find("need each other") != std::string::npos);
  CHECK(problems({{"body_key", "$b["}, {"headers_key", "$h"}}).failed());
  CHECK(problems({{"record_id_key", "date"}}).text().find("same field") != std::string::npos);
}

// The other end of the only connection to `port` that this process has made: its descriptor.
int socket_to(int port) {
  for (int fd = 3; fd < 256; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET &&
        ntohs(peer.sin_port) == port) {
      return fd;
    }
  }
  return -1;
}

int number_of(int fd, int level, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  REQUIRE(::getsockopt(fd, level, option, &value, &size) == 0);
  return value;
}

TEST_CASE("net.tcp_keepalive and its numbers reach the socket") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) {
    o.tcp_keepalive_time = 31;
    o.tcp_keepalive_interval = 7;
    o.tcp_keepalive_probes = 3;
  });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  const int fd = socket_to(peer.port());
  REQUIRE(fd >= 0);
  CHECK(number_of(fd, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(number_of(fd, IPPROTO_TCP, TCP_KEEPIDLE) == 31);
  CHECK(number_of(fd, IPPROTO_TCP, TCP_KEEPINTVL) == 7);
  CHECK(number_of(fd, IPPROTO_TCP, TCP_KEEPCNT) == 3);
}

TEST_CASE("net.tcp_keepalive may be off") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) { o.tcp_keepalive = false; });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  const int fd = socket_to(peer.port());
  REQUIRE(fd >= 0);
  CHECK(number_of(fd, SOL_SOCKET, SO_KEEPALIVE) == 0);
}

TEST_CASE("net.source_address is where connections come from") {
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, [](auto& o) { o.source_address = "127.0.0.9"; });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  sockaddr_in own{};
  socklen_t size = sizeof own;
  REQUIRE(::getsockname(socket_to(peer.port()), reinterpret_cast<sockaddr*>(&own), &size) == 0);
  CHECK(ntohl(own.sin_addr.s_addr) == 0x7F000009);
}

TEST_CASE("a preference for one kind of address does not keep the other from being used") {
  for (const bool six : {true, false}) {
    HttpPeer peer({HttpPeer::ok()});
    HttpBench bench(peer, [six](auto& o) {
      o.prefer_ipv6 = six;
      o.prefer_ipv4 = !six;
    });
    bench.send(bench.batch({"a"}));
    REQUIRE(bench.settled(1));
    CHECK(bench.host.delivered() == 1);
  }
}

TEST_CASE("net.io_timeout counts where http.read_idle_timeout is not given") {
  HttpPeer peer({{[](Fd& fd, const HttpPeer::Request&) {
    say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    return true;
  }}});
  HttpBench bench(peer, [](auto& o) { o.io_timeout = {100 * kMillisecond}; });
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.all.at(0).reason == "timeout");
}

TEST_CASE("network keys that can't work are refused in a sentence") {
  CHECK_FALSE(problems({{"tls.min_version", "TLSv1.2"}, {"tls.max_version", "TLSv1.3"}}).failed());
  CHECK(problems({{"tls.min_version", "SSLv3"}}).text().find("TLSv1.2") != std::string::npos);
  CHECK(problems({{"tls.min_version", "TLSv1.3"}, {"tls.max_version", "TLSv1.2"}}).text().find("older") !=
        std::string::npos);
  CHECK(problems({{"net.dns.prefer_ipv4", "on"}, {"net.dns.prefer_ipv6", "on"}}).failed());
  CHECK(problems({{"net.source_address", "eth0"}}).text().find("IPv4 or IPv6 address") != std::string::npos);
  CHECK_FALSE(problems({{"net.source_address", "::1"}}).failed());
}

}  // namespace
}  // namespace logweir
