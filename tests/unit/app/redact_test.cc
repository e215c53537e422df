// SPDX-License-Identifier: Apache-2.0
#include "app/redact.h"

#include <doctest/doctest.h>

#include "app/ui_page.h"

using namespace logweir;

TEST_CASE("values of the named keys are hidden, whatever they are and however deep") {
  const std::vector<std::string> keys = {"password", "n"};
  CHECK(redacted(R"({"a":1,"Password":"x\"y","b":"password"})", keys) == R"({"a":1,"Password":"***","b":"password"})");
  CHECK(redacted(R"({"a":[{"n" : {"n":[1,"}"]},"c":2}]})", keys) == R"({"a":[{"n":"***","c":2}]})");
  CHECK(redacted(R"({"n":1,"n":[],"n":null})", keys) == R"({"n":"***","n":"***","n":"***"})");
  CHECK(redacted(R"({"\u006e":-1.5e3})", keys) == R"({"\u006e":"***"})");
  CHECK(redacted(R"({"a":{"b":"c"}})", {}) == R"({"a":{"b":"c"}})");
}

TEST_CASE("text that is cut off ends it") {
  for (const char* cut : {"{\"n", "{\"n\"", "{\"n\":", "{\"n\":[", "{\"n\":\"\\", "\"", "{\"n\":{\"a\":\""}) {
    CAPTURE(cut);
    CHECK_FALSE(redacted(cut, {"n"}).empty());
  }
}

TEST_CASE("the status page is whole, and its policy lets nothing but its own script and style run") {
  CHECK(base64_of_hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") ==
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  const HttpAnswer answer = ui_answer();
  CHECK(answer.body.find("</html>") != std::string::npos);
  CHECK(answer.body.find("innerHTML") == std::string::npos);
  CHECK(answer.body.find("@JS@") == std::string::npos);
  CHECK(answer.headers.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
  CHECK(answer.headers.find("unsafe") == std::string::npos);
}
