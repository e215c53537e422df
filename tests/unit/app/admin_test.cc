// SPDX-License-Identifier: Apache-2.0
#include "app/admin.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/promtool.h"
#include "support/run_loop.h"

using namespace logweir;

namespace {

// One blocking exchange: all that the server sends until it closes.
std::string exchange(int port, const std::string& request) {
  const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string got;
  if (::connect(peer, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
    (void)!::write(peer, request.data(), request.size());
    char part[4096];
    for (ssize_t n = 0; (n = ::read(peer, part, sizeof part)) > 0;) got.append(part, static_cast<std::size_t>(n));
  }
  ::close(peer);
  return got;
}

struct AdminFixture {
  SystemClock clock;
  Loop loop{clock};
  Metrics metrics;
  std::vector<std::string> reasons;
  int looks = 0;
  Admin admin{loop, metrics,
              [this](std::function<void()> done) {
                ++looks;
                loop.post(std::move(done));
              },
              [this] { return reasons; }};

  AdminFixture() { REQUIRE(admin.open("127.0.0.1", 0).ok()); }

  std::string ask(const std::string& target, const std::string& method = "GET") {
    std::string answer;
    std::atomic<bool> done{false};
    std::thread client([&] {
      answer = exchange(admin.port(), method + " " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      done = true;
    });
    CHECK(run_until(loop, [&] { return done.load(); }));
    client.join();
    return answer;
  }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE_FIXTURE(AdminFixture, "metrics are scraped after a look, at the new and the old addresses") {
  metrics.counter("logweir_input_records_total", "Records read.", {{"name", "a\"b"}}).add(7);
  const std::string answer = ask("/metrics");
  CHECK(answer.rfind("HTTP/1.1 200 ", 0) == 0);
  CHECK(has(answer, "text/plain; version=0.0.4; charset=utf-8\r\n"));
  CHECK(has(answer, "\nlogweir_input_records_total{name=\"a\\\"b\"} 7\n"));
  CHECK(looks == 1);
  const std::string page = answer.substr(answer.find("\r\n\r\n") + 4);
  CHECK(page == metrics.scrape());
  for (const char* old : {"/api/v1/metrics/prometheus", "/api/v2/metrics/prometheus"}) CHECK(has(ask(old), page));
  const PromtoolVerdict verdict = promtool_check(page);
  if (verdict.present) CHECK_MESSAGE(verdict.accepted, verdict.said);
}

TEST_CASE_FIXTURE(AdminFixture, "health is 200, or 503 with the reasons") {
  CHECK(has(ask("/api/v1/health"), "\r\n\r\nok\n"));
  const std::string good = ask("/health");
  CHECK(good.rfind("HTTP/1.1 200 ", 0) == 0);
  CHECK(has(good, "application/json\r\n"));
  CHECK(has(good, "\r\n\r\n{\"status\":\"ok\",\"reasons\":[]}\n"));
  reasons = {"positions are not saved"};
  CHECK(has(ask("/api/v1/health"), "HTTP/1.1 500 "));
  const std::string bad = ask("/health");
  CHECK(bad.rfind("HTTP/1.1 503 ", 0) == 0);
  CHECK(has(bad, "{\"status\":\"failing\",\"reasons\":[\"positions are not saved\"]}\n"));
}

TEST_CASE_FIXTURE(AdminFixture, "the index says what there is; other addresses and methods are refused") {
  admin.add({"/more", "a page \"more\"", [](const HttpRequest& request) {
               return HttpAnswer{.body = query_value(request.target, "a"), .headers = "X-Own: 1\r\n"};
             }});
  const std::string index = ask("/");
  CHECK(has(index, "{\"fluent-bit\":{\"version\":\""));
  CHECK(has(index, R"("/more":"a page \"more\"")"));
  const std::string more = ask("/more?b=1&a=x%20y%zz+");
  CHECK(has(more, "\r\nX-Own: 1\r\n"));
  CHECK(has(more, "\r\n\r\nx y%zz "));
  CHECK(looks == 1);
  CHECK(ask("/nothing").rfind("HTTP/1.1 404 ", 0) == 0);
  const std::string refused = ask("/metrics", "POST");
  CHECK(refused.rfind("HTTP/1.1 405 ", 0) == 0);
  CHECK(has(refused, "\r\nAllow: GET, HEAD\r\n"));
  CHECK(ask("/metrics", "HEAD").rfind("HTTP/1.1 200 ", 0) == 0);
}

TEST_CASE_FIXTURE(AdminFixture, "a busy port is said") {
  Admin second(loop, metrics, {}, {});
  const Status status = second.open("127.0.0.1", admin.port());
  CHECK(status.code() == Code::busy);
}

TEST_CASE("a look that ends after the admin port is harmless") {
  SystemClock clock;
  Loop loop(clock);
  Metrics metrics;
  std::function<void()> late;
  auto admin = std::make_unique<Admin>(
      loop, metrics, [&late](std::function<void()> done) { late = std::move(done); },
      [] { return std::vector<std::string>(); });
  REQUIRE(admin->open("127.0.0.1", 0).ok());
  std::atomic<bool> closed{false};
  std::thread client([&closed, port = admin->port()] {
    exchange(port, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
    closed = true;
  });
  CHECK(run_until(loop, [&] { return static_cast<bool>(late); }));
  admin.reset();
  late();
  CHECK(run_until(loop, [&] { return closed.load(); }));
  client.join();
}
