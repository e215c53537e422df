// SPDX-License-Identifier: Apache-2.0
// Any bytes, whole or cut in two, are read the same way, and what is read keeps its bounds.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "wire/http_request.h"

using namespace logweir;
using State = HttpRequestParser::State;

namespace {

bool same(const HttpRequest& a, const HttpRequest& b) {
  return a.method == b.method && a.target == b.target && a.headers == b.headers && a.body == b.body &&
         a.keep_alive == b.keep_alive;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t cut = (data[0] * 256U + data[1]) % (size - 1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);

  HttpRequestParser whole;
  HttpRequest request;
  const auto parsed = whole.parse(text, request);
  if (parsed.state == State::done) {
    LW_CHECK(parsed.used <= text.size());
    LW_CHECK(parsed.used <= HttpRequestParser::kMostHead + HttpRequestParser::kMostBody);
    LW_CHECK(request.headers.size() <= HttpRequestParser::kMostHeaders);
    LW_CHECK(request.target.starts_with('/'));
  }

  HttpRequestParser pieces;
  HttpRequest again;
  auto second = pieces.parse(text.substr(0, cut), again);
  if (second.state == State::more || second.state == State::more_body) second = pieces.parse(text, again);
  const bool waits = second.state == State::more || second.state == State::more_body;
  LW_CHECK(waits ? parsed.state == State::more || parsed.state == State::more_body : second.state == parsed.state);
  LW_CHECK(second.used == parsed.used);
  LW_CHECK(second.status == parsed.status);
  if (parsed.state == State::done) LW_CHECK(same(request, again));
  return 0;
}
