// SPDX-License-Identifier: Apache-2.0
// Whatever an authorization server says, a token that is taken can be a header's value and lives for a while at most.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "plugins/outputs/http/texts.h"
#include "plugins/outputs/http/token.h"

using namespace logweir;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (const auto grant = http_out::parse_token(body); grant.ok()) {
    LW_CHECK(!grant.value().token.empty() && http_out::is_header_value(grant.value().token));
    LW_CHECK(grant.value().life >= 0 && grant.value().life <= 366 * 86400 * kSecond);
  }
  LW_CHECK(http_out::token_error(body).size() <= 64);
  return 0;
}
