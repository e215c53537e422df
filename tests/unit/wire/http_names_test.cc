// SPDX-License-Identifier: Apache-2.0
// Names that change their address. This binary answers look-ups of *.names.test itself.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <netdb.h>

#include <map>
#include <mutex>
#include <string>

#include "support/http_peer.h"
#include "support/run_loop.h"
#include "wire/http_client.h"

namespace {

std::mutex names_mutex;
std::map<std::string, std::string>& names() {
  static std::map<std::string, std::string> all;
  return all;
}
void point(const std::string& name, const std::string& address) {
  const std::lock_guard lock(names_mutex);
  names()[name] = address;
}

}  // namespace

// In place of the C library's, also for libcurl, whose look-ups end here.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
  using Real = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "getaddrinfo"));
  std::string address = node == nullptr ? "" : node;
  {
    const std::lock_guard lock(names_mutex);
    if (const auto known = names().find(address); known != names().end()) address = known->second;
  }
  if (address.empty() && node != nullptr) return EAI_NONAME;
  return real(node == nullptr ? nullptr : address.c_str(), service, hints, found);
}

namespace logweir {
namespace {

struct Bench {
  Bench(const std::string& name, int port, HttpClientOptions options) : to{name, port, false} {
    options.ignore_proxy_env = true;
    client = std::move(HttpClient::open(loop, std::move(options)).value());
    call = std::make_unique<HttpCall>(*client, [this](const HttpEnd& end) {
      done = true;
      status = end.status;
      failure = end.failure;
    });
  }
  // One request to its end; the answer's status.
  int ask() {
    done = false;
    call->start({"POST", &to, "/", {}, {}});
    REQUIRE(run_until(loop, [&] { return done; }));
    return status;
  }

  SystemClock clock;
  Loop loop{clock};
  HttpServerName to;
  std::unique_ptr<HttpClient> client;
  std::unique_ptr<HttpCall> call;
  bool done = false;
  int status = 0;
  std::string failure;
};

constexpr std::uint32_t kOther = INADDR_LOOPBACK + 1;

TEST_CASE("a name's new address is found while the old one still answers") {
  HttpPeer old_peer({HttpPeer::ok()});
  HttpPeer new_peer({HttpPeer::ok()}, old_peer.port(), kOther);
  point("moving.names.test", "127.0.0.1");
  HttpClientOptions options;
  options.dns_life = options.connection_life = kSecond;
  Bench bench("moving.names.test", old_peer.port(), options);
  CHECK(bench.ask() == 200);
  CHECK(old_peer.requests().size() == 1);
  point("moving.names.test", "127.0.0.2");
  const Nanos limit = bench.loop.now() + 20 * kSecond;
  while (new_peer.requests().empty() && bench.loop.now() < limit) CHECK(bench.ask() == 200);
  CHECK(new_peer.requests().size() == 1);
}

TEST_CASE("a name's new address is found when the old one is dead") {
  point("fallen.names.test", "127.0.0.1");
  HttpClientOptions options;
  options.dns_life = kSecond;
  auto old_peer = std::make_unique<HttpPeer>(std::vector{HttpPeer::ok()});
  HttpPeer new_peer({HttpPeer::ok()}, old_peer->port(), kOther);
  Bench bench("fallen.names.test", old_peer->port(), options);
  CHECK(bench.ask() == 200);
  old_peer.reset();
  point("fallen.names.test", "127.0.0.2");
  const Nanos limit = bench.loop.now() + 20 * kSecond;
  while (bench.ask() != 200 && bench.loop.now() < limit) CHECK(bench.failure == "connect");
  CHECK(new_peer.requests().size() == 1);
}

TEST_CASE("a name that is not known now may be known at the next request") {
  HttpPeer peer({HttpPeer::ok()});
  point("late.names.test", "");
  Bench bench("late.names.test", peer.port(), {});
  CHECK(bench.ask() == 0);
  CHECK(bench.failure == "dns");
  point("late.names.test", "127.0.0.1");
  CHECK(bench.ask() == 200);
}

TEST_CASE("where a name has no address of the preferred kind the other is used") {
  HttpPeer peer({HttpPeer::ok()});
  point("four.names.test", "127.0.0.1");
  HttpClientOptions options;
  options.prefer = HttpAddresses::ipv6;
  Bench bench("four.names.test", peer.port(), options);
  CHECK(bench.ask() == 200);
}

}  // namespace
}  // namespace logweir
