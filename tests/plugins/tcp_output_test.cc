// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <functional>

#include "plugins/outputs/tcp/options.h"
#include "support/options.h"
#include "support/output_bench.h"
#include "support/sockets.h"

namespace logweir {

extern const OutputEntry kTcpOutput;

namespace {

using tcp_out::TcpOutputOptions;

// A port of ours, with connections taken by hand. Nobody's code runs beside the test's.
class Peer {
 public:
  explicit Peer(int port = 0, int backlog = 8) : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    if (backlog > 0) REQUIRE(::listen(listening_.get(), backlog) == 0);
    ::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] int port() const { return port_; }
  void small_buffer() {
    const int bytes = 8192;
    setsockopt(listening_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
  Fd take() { return Fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  void close() { listening_.reset(); }

 private:
  Fd listening_;
  int port_ = 0;
};

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

struct TcpBench : OutputBench {
  TcpBench() : OutputBench(kTcpOutput) {}
  void connect(const Peer& peer, const std::function<void(TcpOutputOptions&)>& change = [](auto&) {}) {
    REQUIRE(open<TcpOutputOptions>([&](TcpOutputOptions& o) {
              o.port = peer.port();
              o.format = tcp_out::TcpFormat::raw;
              change(o);
            }).ok());
  }
};

TEST_CASE("the first send dials, and says ready once connected") {
  Peer peer;
  TcpBench bench;
  bench.connect(peer);
  const BatchRef batch = bench.batch({"a", "b"});
  CHECK(bench.send(batch) == 0);
  REQUIRE(bench.until([&] { return bench.host.readies == 1; }));
  CHECK(bench.send(batch) == 2);
  const Fd socket = peer.take();
  REQUIRE(bench.until([&] { return bench.host.delivered() == 2; }));
  CHECK(hear_now(socket) == "a\nb\n");
}

TEST_CASE("json_lines carry the date first") {
  Peer peer;
  TcpBench bench;
  bench.connect(peer, [](TcpOutputOptions& o) { o.format = tcp_out::TcpFormat::json_lines; });
  REQUIRE(bench.send_all(bench.batch({"x\"y"})));
  const Fd socket = peer.take();
  REQUIRE(bench.until([&] { return bench.host.delivered() == 1; }));
  CHECK(hear_now(socket) == "{\"date\":1700000000.000000,\"log\":\"x\\\"y\"}\n");
}

TEST_CASE("a peer that does not read stops the output, and nothing is lost when it reads again") {
  Peer peer;
  peer.small_buffer();
  TcpBench bench;
  bench.connect(peer);
  REQUIRE(bench.send_all(bench.batch({"first"})));
  const Fd socket = peer.take();
  const BatchRef batch = bench.batch(40'000, 500);
  std::uint64_t taken = 0;
  for (std::uint64_t n = 1; n > 0; taken += n) n = bench.send(batch, static_cast<std::uint32_t>(taken));
  CHECK(taken < 40'000);
  std::string heard;
  REQUIRE(bench.until([&] {
    heard += hear_now(socket);
    if (taken < 40'000) taken += bench.send(batch, static_cast<std::uint32_t>(taken));
    return bench.host.delivered() == 40'001;
  }));
  heard += hear_now(socket);
  CHECK(lines_in(heard) == 40'001);
  CHECK(heard.ends_with(std::string(batch->records.back().text()) + "\n"));
}

TEST_CASE("a reset gives back exactly what the peer's kernel had not acknowledged") {
  Peer peer;
  peer.small_buffer();
  TcpBench bench;
  bench.connect(peer);
  REQUIRE(bench.send_all(bench.batch({"first"})));
  Fd socket = peer.take();
  const BatchRef batch = bench.batch(40'000, 500);
  std::uint64_t taken = 1;
  for (std::uint64_t n = 1; n > 0; taken += n) n = bench.send(batch, static_cast<std::uint32_t>(taken - 1));
  reset_connection(socket);
  REQUIRE(bench.until([&] { return bench.host.delivered() + bench.host.count(Outcome::retry) == taken; }));
  CHECK(bench.host.all.back().outcome == Outcome::retry);
  CHECK(bench.host.all.back().reason == "reset");
  CHECK(bench.host.all.front().first == 0);
  CHECK(bench.host.delivered() >= 1);
}

TEST_CASE("with ack none records are delivered when our kernel has them") {
  Peer peer;
  TcpBench bench;
  bench.connect(peer, [](TcpOutputOptions& o) { o.ack = tcp_out::TcpAck::none; });
  const BatchRef batch = bench.batch({"a"});
  CHECK(bench.send(batch) == 0);
  REQUIRE(bench.until([&] { return bench.host.readies == 1; }));
  CHECK(bench.send(batch) == 1);
  CHECK(bench.host.delivered() == 1);
}

TEST_CASE("a peer that closes in order is noticed while idle, and the next line goes to a new connection") {
  Peer peer;
  TcpBench bench;
  bench.connect(peer);
  REQUIRE(bench.send_all(bench.batch({"one"})));
  Fd socket = peer.take();
  REQUIRE(bench.until([&] { return bench.host.delivered() == 1; }));
  CHECK(hear_now(socket) == "one\n");
  socket.reset();
  REQUIRE(bench.until([&] { return bench.log.count("lost the connection") == 1; }));
  REQUIRE(bench.send_all(bench.batch({"two"})));
  socket = peer.take();
  REQUIRE(bench.until([&] { return bench.host.delivered() == 2; }));
  CHECK(hear_now(socket) == "two\n");
  CHECK(bench.host.count(Outcome::retry) == 0);
}

TEST_CASE("when a host can't be reached the next one is tried") {
  Peer dead;
  Peer peer;
  dead.close();
  TcpBench bench;
  bench.connect(peer, [&](TcpOutputOptions& o) {
    o.hosts = {"127.0.0.1:" + std::to_string(dead.port()), "127.0.0.1:" + std::to_string(peer.port())};
  });
  REQUIRE(bench.send_all(bench.batch({"a"})));
  CHECK(bench.until([&] { return bench.host.delivered() == 1; }));
  CHECK(bench.host.unavailables == 0);
}

TEST_CASE("when no host can be reached the lane is told once per round") {
  Peer dead;
  dead.close();
  TcpBench bench;
  bench.connect(dead);
  const BatchRef batch = bench.batch({"a"});
  CHECK(bench.send(batch) == 0);
  REQUIRE(bench.until([&] { return bench.host.unavailables == 1; }));
  CHECK(bench.host.last_reason == "connect");
  CHECK(bench.host.last_why.find("127.0.0.1") != std::string::npos);
  CHECK(bench.host.readies == 0);
}

TEST_CASE("a pool without memory makes the lane wait a moment, not for ever") {
  Peer peer;
  TcpBench bench;
  bench.connect(peer);
  const BatchRef batch = bench.batch({"a"});
  std::vector<ChunkRef> hog;
  while (ChunkRef chunk = bench.pool.take(Use::outflow)) hog.push_back(std::move(chunk));
  CHECK(bench.send(batch) == 0);
  REQUIRE(bench.until([&] { return bench.host.readies == 1; }));
  CHECK(bench.send(batch) == 0);
  REQUIRE(bench.until([&] { return bench.host.readies == 2; }));
  hog.clear();
  CHECK(bench.send(batch) == 1);
}

TEST_CASE("hosts are read with and without a port") {
  CHECK(tcp_out::parse_host_port(" a.example:70 ", 1).value().text() == "a.example:70");
  CHECK(tcp_out::parse_host_port("a", 5170).value().text() == "a:5170");
  CHECK(tcp_out::parse_host_port("[::1]:9", 1).value().text() == "[::1]:9");
  CHECK(tcp_out::parse_host_port("::1", 9).value().text() == "[::1]:9");
  for (const char* wrong : {"", ":1", "a:", "a:0", "a:65536", "a:b", "[::1", "[::1]9", "a b:1"}) {
    CHECK_FALSE(tcp_out::parse_host_port(wrong, 1).ok());
  }
}

TEST_CASE("a round begins with the best host, or behind one that only took the connection") {
  tcp_out::Hosts hosts({{"a", 1}, {"b", 1}, {"c", 1}});
  CHECK(hosts.next());
  CHECK(hosts.current().host == "b");
  CHECK(hosts.next());
  CHECK_FALSE(hosts.next());
  CHECK(hosts.current().host == "a");
  hosts.lost(false);
  CHECK(hosts.current().host == "b");
  hosts.lost(true);
  CHECK(hosts.current().host == "a");
}

TEST_CASE("options that can't be kept are refused in a sentence") {
  CHECK_FALSE(
      problems_of(kTcpOutput.schema, kTcpOutput.make_options(), {{"Host", "h"}, {"port", "1"}, {"format", "raw"}})
          .failed());
  CHECK(problems_of(kTcpOutput.schema, kTcpOutput.make_options(), {{"tls", "on"}}).text().find("TLS") !=
        std::string::npos);
  CHECK(problems_of(kTcpOutput.schema, kTcpOutput.make_options(), {{"format", "msgpack"}}).text().find("json_lines") !=
        std::string::npos);
  CHECK(problems_of(kTcpOutput.schema, kTcpOutput.make_options(), {{"hosts", "a:1, b:x"}}).failed());
  CHECK(problems_of(kTcpOutput.schema, kTcpOutput.make_options(), {{"port", "0"}}).failed());
  CHECK(problems_of(kTcpOutput.schema, kTcpOutput.make_options(), {{"json_date_format", "stardate"}}).failed());
}

}  // namespace
}  // namespace logweir
