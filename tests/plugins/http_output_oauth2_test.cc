// SPDX-License-Identifier: Apache-2.0
// OAuth 2.0 client credentials of the http output.
#include <doctest/doctest.h>

#include "plugins/outputs/http/texts.h"
#include "plugins/outputs/http/token.h"
#include "support/http_output_bench.h"
#include "support/options.h"

namespace logweir {

namespace {

using http_out::HttpOutputOptions;
using http_out::OAuthMethod;
using http_out::parse_token;

HttpPeer::Step grant(const std::string& token, int seconds = 3600) {
  return HttpPeer::say(HttpPeer::answer(
      "200 OK", "Content-Type: application/json\r\n",
      "{\"access_token\":\"" + token + "\",\"token_type\":\"Bearer\",\"expires_in\":" + std::to_string(seconds) + "}"));
}

HttpBench::Change with_tokens(const HttpPeer& issuer, const HttpBench::Change& more = [](auto&) {}) {
  return [&issuer, more](HttpOutputOptions& o) {
    o.oauth = true;
    o.token_url = "http://127.0.0.1:" + std::to_string(issuer.port()) + "/token?x=1";
    o.client_id = "me:1";
    o.client_secret = "hush hush";
    more(o);
  };
}

TEST_CASE("a token is fetched once and sent with each request") {
  HttpPeer issuer({grant("abc")});
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, with_tokens(issuer, [](auto& o) {
                    o.scope = "logs:write more";
                    o.audience = "https://a";
                    o.token_user_agent = "agent/1";
                  }));
  for (std::uint64_t i = 1; i <= 3; ++i) {
    bench.send(bench.batch({"a"}));
    REQUIRE(bench.settled(i));
  }
  CHECK(bench.host.delivered() == 3);
  for (const auto& request : peer.requests()) CHECK(request.header("authorization") == "Bearer abc");
  REQUIRE(issuer.requests().size() == 1);
  const HttpPeer::Request asked = issuer.requests().at(0);
  CHECK(asked.head.starts_with("POST /token?x=1 HTTP/1.1\r\n"));
  CHECK(asked.header("authorization") == "Basic " + http_out::base64("me%3A1:hush+hush"));
  CHECK(asked.header("content-type") == "application/x-www-form-urlencoded");
  CHECK(asked.header("user-agent") == "agent/1");
  CHECK(asked.body == "grant_type=client_credentials&scope=logs%3Awrite+more&audience=https%3A%2F%2Fa");
}

TEST_CASE("with auth_method post name and secret are in the body") {
  HttpPeer issuer({grant("abc")});
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, with_tokens(issuer, [](auto& o) { o.oauth_method = OAuthMethod::post; }));
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(issuer.requests().at(0).header("authorization").empty());
  CHECK(issuer.requests().at(0).body == "grant_type=client_credentials&client_id=me%3A1&client_secret=hush+hush");
}

TEST_CASE("a 401 gets a new token, and the same body goes out again at once") {
  HttpPeer issuer({grant("old"), grant("new")});
  HttpPeer peer({HttpPeer::ok(), HttpPeer::say(HttpPeer::answer("401 Unauthorized")), HttpPeer::ok()});
  HttpBench bench(peer, with_tokens(issuer));
  for (std::uint64_t i = 1; i <= 2; ++i) {
    bench.send(bench.batch({"a"}));
    REQUIRE(bench.settled(i));
  }
  CHECK(bench.host.delivered() == 2);
  CHECK(bench.host.all.size() == 2);
  const auto got = peer.requests();
  REQUIRE(got.size() == 3);
  CHECK(got[1].header("authorization") == "Bearer old");
  CHECK(got[2].header("authorization") == "Bearer new");
  CHECK(got[1].header("idempotency-key") == got[2].header("idempotency-key"));
  CHECK(got[1].body == got[2].body);
}

TEST_CASE("a 401 to a new token too is a refusal") {
  HttpPeer issuer({grant("abc")});
  HttpPeer peer({HttpPeer::say(HttpPeer::answer("401 Unauthorized"))});
  HttpBench bench(peer, with_tokens(issuer));
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.all.at(0).outcome == Outcome::rejected);
  CHECK(bench.host.all.at(0).reason == "http_401");
  CHECK(peer.requests().size() == 2);
  CHECK(issuer.requests().size() == 2);
}

TEST_CASE("a token at its end is replaced before it is refused") {
  HttpPeer issuer({grant("first", 0), grant("second")});
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, with_tokens(issuer));
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(peer.requests().at(0).header("authorization") == "Bearer second");
}

TEST_CASE("without a token the records go back to the lane, and no secret is logged") {
  HttpPeer issuer({HttpPeer::say(HttpPeer::answer("401 No", "", R"({"error":"invalid_client","x":"hush hush"})")),
                   HttpPeer::say(HttpPeer::answer("200 OK", "", "hush hush")), grant("abc")});
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, with_tokens(issuer));
  const BatchRef batch = bench.batch({"a"});
  for (std::uint64_t i = 1; i <= 3; ++i) {
    bench.send(batch);
    REQUIRE(bench.settled(i));
  }
  CHECK(bench.host.count(Outcome::retry) == 2);
  CHECK(bench.host.all.at(0).reason == "oauth2");
  CHECK(bench.host.delivered() == 1);
  CHECK(peer.requests().size() == 1);
  CHECK(bench.log.count("answered 401, invalid_client") == 1);
  for (const std::string& line : bench.log.lines()) {
    CHECK(line.find("hush") == std::string::npos);
    CHECK(line.find("abc") == std::string::npos);
  }
}

TEST_CASE("requests that need a token at the same time share one") {
  HttpPeer issuer({grant("abc")});
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, with_tokens(issuer, [](auto& o) { o.concurrency = 2; }));
  CHECK(bench.send(bench.batch({"a"})) == 1);
  CHECK(bench.send(bench.batch({"b"})) == 1);
  REQUIRE(bench.until([&] { return !peer.requests().empty(); }));
  CHECK(issuer.requests().size() == 1);
}

TEST_CASE("closing while a token is awaited leaves nothing behind") {
  HttpPeer issuer({{[](Fd&, const HttpPeer::Request&) { return true; }}});
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, with_tokens(issuer));
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.until([&] { return issuer.requests().size() == 1; }));
  bench.output->close();
  bench.output.reset();
  CHECK(bench.host.all.empty());
}

TEST_CASE("an issuer that does not answer is given up by its own time limit") {
  HttpPeer issuer({{[](Fd&, const HttpPeer::Request&) { return true; }}});
  HttpPeer peer({HttpPeer::ok()});
  HttpBench bench(peer, with_tokens(issuer, [](auto& o) { o.token_timeout = {100 * kMillisecond}; }));
  bench.send(bench.batch({"a"}));
  REQUIRE(bench.settled(1));
  CHECK(bench.host.all.at(0).reason == "oauth2");
}

TEST_CASE("answers of an issuer are read with care") {
  const auto life = [](const char* body) { return parse_token(body).value().life / kSecond; };
  CHECK(parse_token(" {\"access_token\":\"a\\u002db\"} \n").value().token == "a-b");
  CHECK(life(R"({"access_token":"a"})") == 300);
  CHECK(life(R"({"access_token":"a","expires_in":"60"})") == 60);
  CHECK(life(R"({"access_token":"a","expires_in":60.5})") == 60);
  CHECK(life(R"({"access_token":"a","expires_in":-1})") == 0);
  CHECK(life(R"({"access_token":"a","expires_in":null})") == 300);
  CHECK(life(R"({"access_token":"a","expires_in":99999999999999999999})") == 366 * 86400);
  for (const char* wrong : {"", "x", "[]", "{", "{}", R"({"access_token":""})", R"({"access_token":"a b"})",
                            R"({"access_token":"a\r\nX: 1"})", R"({"access_token":"a","token_type":"mac"})",
                            "{\"access_token\":\"\xC3\xA9\"}"}) {
    CHECK_FALSE(parse_token(wrong).ok());
  }
  CHECK_FALSE(parse_token(R"({"access_token":")" + std::string(20'000, 'a') + "\"}").ok());
  CHECK(http_out::token_error(R"({"error":"invalid_scope"})") == "invalid_scope");
  CHECK(http_out::token_error(R"({"error":"a b"})").empty());
  CHECK(http_out::token_error("<html>").empty());
}

TEST_CASE("base64 and form text are as their standards have them") {
  using http_out::base64;
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("\xFF\xFE\xFD") == "//79");
  CHECK(http_out::form_encoded("a b&c=\xC3\xA9~*") == "a+b%26c%3D%C3%A9%7E*");
}

TEST_CASE("oauth2 keys that can't work are refused in a sentence") {
  const auto problems = [](std::vector<std::pair<std::string, std::string>> keys) {
    keys.insert(keys.end(), {{"oauth2.enable", "on"}, {"oauth2.client_id", "a"}});
    return problems_of(kHttpOutput.schema, kHttpOutput.make_options(), keys);
  };
  const std::pair<std::string, std::string> secret{"oauth2.client_secret", "s"};
  const std::pair<std::string, std::string> url{"oauth2.token_url", "https://a/t"};
  CHECK_FALSE(problems({secret, url}).failed());
  CHECK(problems({url}).text().find("client_secret is missing") != std::string::npos);
  CHECK(problems({secret}).text().find("must begin with http://") != std::string::npos);
  CHECK(problems({secret, {"oauth2.token_url", "https://a:x/t"}}).failed());
  CHECK(problems({secret, {"oauth2.token_url", "http://a/t"}}).text().find("in the clear") != std::string::npos);
  CHECK(problems({secret, url, {"http_user", "u"}}).text().find("one authorization") != std::string::npos);
  CHECK(problems({secret, url, {"oauth2.auth_method", "private_key_jwt"}}).failed());
}

}  // namespace
}  // namespace logweir
