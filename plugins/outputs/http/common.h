// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/encode.h"
#include "plugin/output.h"
#include "plugins/outputs/http/endpoints.h"
#include "plugins/outputs/http/options.h"
#include "plugins/outputs/http/own_body.h"
#include "plugins/outputs/http/repeats.h"
#include "plugins/outputs/http/token.h"

namespace logweir::http_out {

enum class Verdict : unsigned char { delivered, retry, too_large, rejected };
Verdict judge(const HttpEnd& end);
// A word for metrics: "http_503", "timeout".
std::string reason_of(const HttpEnd& end);

// Value. How large a body may be: what a server found too large is not tried again soon.
class BodyLimit {
 public:
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void refused(std::size_t size);
  void worked();

 private:
  static constexpr std::size_t kMost = std::size_t{8} << 20;
  static constexpr std::size_t kLeast = 16 * 1024;
  static constexpr int kTrust = 64;  // so many bodies later twice as much is tried
  std::size_t bytes_ = kMost;
  int worked_ = 0;
};

// Resource. What the requests of one output share. One thread.
struct Common {
  Common(OutputServices& services, const HttpOutputOptions& options, std::unique_ptr<HttpClient> to,
         std::vector<HttpServerName> servers, std::vector<std::string> fixed_headers);
  Common(const Common&) = delete;
  Common& operator=(const Common&) = delete;

  // Each answer and failure is counted and, now and then, logged: the server's own words for a refusal.
  void note(const HttpEnd& end, Verdict verdict, const HttpServerName& server, std::uint64_t records);
  void note_repaired();

  Loop& loop;
  OutputHost& host;
  Pool& pool;
  Jobs::Desk& jobs;
  Log log;
  const HttpOutputOptions& options;
  const Format format;
  const std::string uri;
  const std::string method;
  const std::vector<std::string> headers;
  const KeyBasis basis;
  std::unique_ptr<HttpClient> client;
  Endpoints endpoints;
  std::unique_ptr<Token> token;  // null: none is needed
  Encoder encoder;
  OwnBody own_body;
  Repeats repeats;
  BodyLimit limit;
  std::function<void()> freed;  // a request has ended and can take records

 private:
  void say(const HttpEnd& end, Verdict verdict, const HttpServerName& server, std::uint64_t records);

  std::array<Counter*, 5> answers_;  // none, 2xx, 3xx, 4xx, 5xx
  Counter& repaired_;
  std::uint64_t repaired_seen_ = 0;
  bool failing_ = false;
  LogLimit failing_log_;
  LogLimit refused_log_;
};

}  // namespace logweir::http_out
