// SPDX-License-Identifier: Apache-2.0
#include "wire/http_request.h"

#include <doctest/doctest.h>

#include <string>

using namespace logweir;

namespace {

using State = HttpRequestParser::State;

HttpRequestParser::Parsed parse(std::string_view text, HttpRequest& request) {
  HttpRequestParser parser;
  return parser.parse(text, request);
}
int refusal_of(std::string_view text) {
  HttpRequest request;
  const auto parsed = parse(text, request);
  return parsed.state == State::refused ? parsed.status : 0;
}
std::string get(const std::string& headers) { return "GET / HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n"; }

}  // namespace

TEST_CASE("a request's method, target, headers and body are taken apart") {
  HttpRequest request;
  const std::string text =
      "POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nX-Thing: \t two words \r\nContent-Length: 5\r\n\r\nhelloGET";
  const auto parsed = parse(text, request);
  CHECK(parsed.state == State::done);
  CHECK(parsed.used == text.size() - 3);
  CHECK(request.method == "POST");
  CHECK(request.path() == "/a/b");
  CHECK(request.query() == "c=d");
  CHECK(request.header("x-thing") == "two words");
  CHECK(request.body == "hello");
  CHECK(request.keep_alive);
}

TEST_CASE("a request cut anywhere is read the same once it is whole") {
  const std::string text = "\r\nPOST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcrest";
  for (std::size_t cut = 0; cut < text.size() - 4; ++cut) {
    HttpRequestParser parser;
    HttpRequest request;
    CHECK(parser.parse(std::string_view(text).substr(0, cut), request).state == State::more);
    const auto parsed = parser.parse(text, request);
    CHECK(parsed.state == State::done);
    CHECK(parsed.used == text.size() - 4);
    CHECK(request.body == "abc");
  }
}

TEST_CASE("whether the connection goes on follows version and header") {
  const auto goes_on = [](std::string_view text) {
    HttpRequest request;
    REQUIRE(parse(text, request).state == State::done);
    return request.keep_alive;
  };
  CHECK(goes_on(get("")));
  CHECK_FALSE(goes_on(get("Connection: upgrade, Close\r\n")));
  CHECK_FALSE(goes_on("GET / HTTP/1.0\r\n\r\n"));
  CHECK(goes_on("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
}

TEST_CASE("an absolute target is served by its path") {
  HttpRequest request;
  REQUIRE(parse("GET HTTP://x:1/metrics?a HTTP/1.1\r\nHost: x\r\n\r\n", request).state == State::done);
  CHECK(request.target == "/metrics?a");
  REQUIRE(parse("GET http://x HTTP/1.1\r\nHost: x\r\n\r\n", request).state == State::done);
  CHECK(request.target == "/");
}

TEST_CASE("broken requests are refused with the status that fits") {
  CHECK(refusal_of("nonsense\r\n\r\n") == 400);
  CHECK(refusal_of("GET  / HTTP/1.1\r\nHost: x\r\n\r\n") == 400);
  CHECK(refusal_of("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n") == 400);
  CHECK(refusal_of("GET x HTTP/1.1\r\nHost: x\r\n\r\n") == 400);
  CHECK(refusal_of(std::string("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", 28)) == 400);
  CHECK(refusal_of("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n") == 405);
  CHECK(refusal_of("GET / HTTP/2.0\r\nHost: x\r\n\r\n") == 505);
  CHECK(refusal_of("GET / HTTP/1.1\r\n\r\n") == 400);
  CHECK(refusal_of(get("Host: y\r\n")) == 400);
}

TEST_CASE("headers that two readers could see differently are refused") {
  CHECK(refusal_of(get("X : y\r\n")) == 400);
  CHECK(refusal_of(get("X: y\r\n folded\r\n")) == 400);
  CHECK(refusal_of(get("no colon\r\n")) == 400);
  CHECK(refusal_of(get("X: a\nb\r\n")) == 400);
  CHECK(refusal_of(get("Transfer-Encoding: chunked\r\n")) == 411);
  CHECK(refusal_of(get("Content-Length: 1\r\nContent-Length: 1\r\n")) == 400);
  for (const char* length : {"", "+1", "-1", "0x1", "1 1", "1,1"}) {
    CAPTURE(length);
    CHECK(refusal_of(get("Content-Length: " + std::string(length) + "\r\n")) == 400);
  }
}

TEST_CASE("sizes are bounded to the byte") {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nX: ";
  const std::size_t room = HttpRequestParser::kMostHead - head.size() - 4;
  CHECK(refusal_of(head + std::string(room, 'a') + "\r\n\r\n") == 0);
  CHECK(refusal_of(head + std::string(room + 1, 'a') + "\r\n\r\n") == 431);
  CHECK(refusal_of(std::string(HttpRequestParser::kMostHead + 1, 'a')) == 431);
  CHECK(refusal_of(get("Content-Length: 65536\r\n")) == 0);
  CHECK(refusal_of(get("Content-Length: 65537\r\n")) == 413);
  CHECK(refusal_of(get("Content-Length: 99999999999999999999999\r\n")) == 413);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "A: b\r\n";
  CHECK(refusal_of(get(many)) == 431);
}

TEST_CASE("a client that wants to hear 100 Continue hears it once") {
  HttpRequestParser parser;
  HttpRequest request;
  std::string text = get("Content-Length: 2\r\nExpect: 100-continue\r\n");
  CHECK(parser.parse(text, request).state == State::more_body);
  text += "a";
  CHECK(parser.parse(text, request).state == State::more);
  text += "b";
  CHECK(parser.parse(text, request).state == State::done);
}
