// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "codec/json_scan.h"
#include "memory/chunk.h"

namespace logweir::http_out {

namespace {

constexpr std::int64_t kUsualLife = 300;
constexpr std::int64_t kLongestLife = 366LL * 86400;
constexpr std::size_t kLongestToken = 16 * 1024;

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// One JSON object of a peer, looked at by its members.
class Answer {
 public:
  explicit Answer(std::string_view body) {
    const std::size_t begin = body.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || body[begin] != '{') return;
    text_ = body.substr(begin);
    const std::size_t size = text_.size();
    text_.append(kChunkPadding, '\0');
    const auto scan = std::make_unique<JsonScan>();
    valid_ = kernel().scan_object(text_.data(), text_.data() + size, *scan);
  }
  [[nodiscard]] bool valid() const { return valid_; }
  // A text without its quotes and escapes, anything else as it is written.
  [[nodiscard]] std::optional<std::string> member(std::string_view key) const {
    JsonMember found;
    if (!valid_ || !kernel().find_member(text_.data(), key, found)) return std::nullopt;
    const std::string_view value = found.text();
    if (!value.starts_with('"')) return std::string(value);
    std::string text;
    unescape_json(value.substr(1, value.size() - 2), text);
    return text;
  }

 private:
  std::string text_;
  bool valid_ = false;
};

}  // namespace

Result<TokenGrant> parse_token(std::string_view body) {
  const Answer answer(body);
  if (!answer.valid()) return Status(Code::invalid, "its answer is no JSON object");
  TokenGrant grant{answer.member("access_token").value_or(""), kUsualLife * kSecond};
  if (grant.token.empty()) return Status(Code::invalid, "its answer has no access_token");
  if (!is_printable(grant.token) || grant.token.size() > kLongestToken) {
    return Status(Code::invalid, "its access_token is no token of at most 16 KiB");
  }
  if (const auto kind = answer.member("token_type"); kind && !same_text(*kind, "bearer")) {
    return Status(Code::invalid, "its token is not of the type bearer");
  }
  if (const auto text = answer.member("expires_in")) {
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (error == std::errc::result_out_of_range && !text->starts_with('-')) seconds = kLongestLife;
    if (error == std::errc::invalid_argument) seconds = kUsualLife;
    grant.life = std::clamp<std::int64_t>(seconds, 0, kLongestLife) * kSecond;
  }
  return grant;
}

std::string token_error(std::string_view body) {
  const std::string word = Answer(body).member("error").value_or("");
  return is_printable(word) && word.size() <= 64 ? word : std::string();
}

std::string token_form(const HttpOutputOptions& options) {
  std::string form = "grant_type=client_credentials";
  const auto add = [&form](std::string_view key, const std::string& value) {
    if (!value.empty()) form += fmt::format("&{}={}", key, form_encoded(value));
  };
  add("scope", options.scope);
  add("audience", options.audience);
  add("resource", options.resource);
  if (options.oauth_method == OAuthMethod::post) {
    add("client_id", options.client_id);
    add("client_secret", options.client_secret);
  }
  return form;
}

Token::Token(Loop& loop, HttpClient& client, const HttpOutputOptions& options, Log log)
    : loop_(loop),
      options_(options),
      log_(std::move(log)),
      call_(client, [this](const HttpEnd& end) { ended(end); }),
      url_(parse_url(options.token_url).value()),
      form_(token_form(options)),
      body_{const_cast<char*>(form_.data()), form_.size()},
      headers_{"Content-Type: application/x-www-form-urlencoded", "Accept: application/json"} {
  if (!options.token_user_agent.empty()) headers_.push_back("User-Agent: " + options.token_user_agent);
  if (options.oauth_method == OAuthMethod::post) return;
  const std::string pair = form_encoded(options.client_id) + ':' + form_encoded(options.client_secret);
  headers_.push_back("Authorization: Basic " + base64(pair));
}

void Token::fetch(Then then) {
  waiting_.push_back(std::move(then));
  if (call_.running()) return;
  HttpSend request{"POST", &url_.server, url_.uri, headers_, {&body_, 1}};
  request.total_timeout = options_.token_timeout.value;
  request.connect_timeout = options_.token_connect_timeout.value;
  request.own_name = true;
  call_.start(request);
}

void Token::refused(std::uint64_t number) {
  if (number == number_) header_.clear();
}

void Token::ended(const HttpEnd& end) {
  const Status status = take(end);
  if (!status.ok()) {
    if (const auto n = failed_log_.pass(loop_.now())) {
      log_.warn("there is no token to send records with: {} ({} such failures since the last such line)",
                status.message(), *n);
    }
  }
  for (const Then& then : std::exchange(waiting_, {})) then(status.ok() ? "" : "oauth2");
}

Status Token::take(const HttpEnd& end) {
  const std::string name = url_.server.text();
  if (end.status == 0) {
    return {Code::unavailable, fmt::format("a request to {} failed: {}", name, printable(end.why.message()))};
  }
  if (end.status < 200 || end.status > 299) {
    const std::string word = token_error(end.body);
    return {Code::unavailable, fmt::format("{} answered {}{}{}", name, end.status, word.empty() ? "" : ", ", word)};
  }
  Result<TokenGrant> grant = parse_token(end.body);
  if (!grant.ok()) return {Code::unavailable, fmt::format("{} is not understood: {}", name, grant.status().message())};
  // One that is short-lived is used for half its life at least, not fetched for each request.
  const Nanos life = grant.value().life;
  renew_at_ = loop_.now() + std::max(life - options_.refresh_skew * kSecond, life / 2);
  header_ = "Authorization: Bearer " + grant.value().token;
  ++number_;
  return {};
}

}  // namespace logweir::http_out
