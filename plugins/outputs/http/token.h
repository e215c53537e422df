// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "plugins/outputs/http/options.h"
#include "plugins/outputs/http/texts.h"
#include "wire/http_client.h"

namespace logweir::http_out {

// Value. What an authorization server gave out.
struct TokenGrant {
  std::string token;  // printable ASCII
  Nanos life = 0;     // 300 s when the server did not say
};
// Of the body of a good answer (RFC 6749, section 5.1), at most 64 KiB of whatever bytes.
Result<TokenGrant> parse_token(std::string_view body);
// The word for the reason in a refusal's body (section 5.2), "" when there is none.
std::string token_error(std::string_view body);
// The body that asks for a token (section 4.4.2).
std::string token_form(const HttpOutputOptions& options);

// Resource. The bearer token of an output: fetched when a request needs one, kept until shortly before its end. Tokens,
// name and secret are never logged. On its loop's thread; destroyed before its client.
class Token {
 public:
  // A word for the failure, "" when there is a token now.
  using Then = std::function<void(std::string_view failure)>;

  Token(Loop& loop, HttpClient& client, const HttpOutputOptions& options, Log log);
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;

  [[nodiscard]] bool good() const { return !header_.empty() && loop_.now() < renew_at_; }
  // "Authorization: Bearer ...", while `good`, and the number of this token.
  [[nodiscard]] const std::string& header() const { return header_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // Gets one; `then` comes once, from the loop, unless we go first. All that ask meanwhile share the answer.
  void fetch(Then then);
  // A server did not take that one.
  void refused(std::uint64_t number);

 private:
  void ended(const HttpEnd& end);
  Status take(const HttpEnd& end);

  Loop& loop_;
  const HttpOutputOptions& options_;
  Log log_;
  LogLimit failed_log_;
  HttpCall call_;
  const Url url_;
  const std::string form_;
  const iovec body_;
  std::vector<std::string> headers_;
  std::vector<Then> waiting_;
  std::string header_;
  Nanos renew_at_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace logweir::http_out
