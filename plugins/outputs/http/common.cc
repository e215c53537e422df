// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/http/common.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "plugins/outputs/http/texts.h"

namespace logweir::http_out {

namespace {

Format format_of(HttpFormat format) {
  switch (format) {
    case HttpFormat::json_lines:
      return Format::json_lines;
    case HttpFormat::json_stream:
      return Format::json_stream;
    case HttpFormat::msgpack:
      return Format::msgpack;
    case HttpFormat::json:
      break;
  }
  return Format::json;
}

// All options that change what a body's bytes are are part of its key.
KeyBasis key_basis(const Loop& loop, const EncodeOptions& how, const HttpOutputOptions& of) {
  KeyBasis basis;
  const std::string form =
      fmt::format("{} {} {} {} {} {}", static_cast<int>(how.format), static_cast<int>(how.date_format),
                  static_cast<int>(of.compress), how.id_key, how.date_key, of.body_key);
  basis.form = hash64(form);
  basis.timed = how.format == Format::msgpack || !how.date_key.empty();
  basis.run = static_cast<std::uint64_t>(loop.wall()) ^ static_cast<std::uint64_t>(::getpid()) << 48;
  return basis;
}

EncodeOptions encoding_of(const HttpOutputOptions& options, Format format) {
  EncodeOptions how = encode_options(options, format);
  how.id_key = options.record_id_key;
  return how;
}

std::array<Counter*, 5> answer_counters(Metrics& metrics, const std::string& output) {
  static constexpr std::array kCodes = {"none", "2xx", "3xx", "4xx", "5xx"};
  std::array<Counter*, 5> counters{};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] = &metrics.counter("logweir_output_http_responses_total",
                                   "Answers to requests by class of status; none: there was no answer",
                                   {{"output", output}, {"code", kCodes[i]}});
  }
  return counters;
}

}  // namespace

Verdict judge(const HttpEnd& end) {
  const int status = end.status;
  if (status >= 200 && status < 300) return Verdict::delivered;
  if (status == 0 || status >= 500 || status == 408 || status == 425 || status == 429) return Verdict::retry;
  return status == 413 ? Verdict::too_large : Verdict::rejected;
}

std::string reason_of(const HttpEnd& end) {
  return end.status == 0 ? std::string(end.failure) : fmt::format("http_{}", end.status);
}

void BodyLimit::refused(std::size_t size) {
  bytes_ = std::clamp(size / 2, kLeast, bytes_);
  worked_ = 0;
}

void BodyLimit::worked() {
  if (bytes_ == kMost || ++worked_ < kTrust) return;
  bytes_ = std::min(2 * bytes_, kMost);
  worked_ = 0;
}

Common::Common(OutputServices& services, const HttpOutputOptions& of, std::unique_ptr<HttpClient> to,
               std::vector<HttpServerName> servers, std::vector<std::string> fixed_headers)
    : loop(services.loop),
      host(services.host),
      pool(services.pool),
      jobs(services.jobs),
      log(services.log),
      options(of),
      format(format_of(of.format)),
      uri(uri_of(of)),
      method(of.method == HttpMethod::put ? "PUT" : "POST"),
      headers(std::move(fixed_headers)),
      basis(key_basis(services.loop, encoding_of(of, format), of)),
      client(std::move(to)),
      endpoints(std::move(servers)),
      token(of.oauth ? std::make_unique<Token>(services.loop, *client, of, services.log) : nullptr),
      encoder(encoding_of(of, format)),
      own_body(of),
      repeats(2 * static_cast<std::size_t>(of.concurrency)),
      answers_(answer_counters(services.metrics, services.name)),
      repaired_(services.metrics.counter("logweir_output_repaired_utf8_total",
                                         "Ill-formed UTF-8 sequences replaced by U+FFFD while encoding",
                                         {{"output", services.name}})) {}

void Common::note_repaired() {
  const std::uint64_t repaired = encoder.repaired();
  if (repaired != repaired_seen_) repaired_.add(repaired - std::exchange(repaired_seen_, repaired));
}

void Common::note(const HttpEnd& end, Verdict verdict, const HttpServerName& server, std::uint64_t records) {
  const int status_class = end.status / 100;
  answers_[status_class < 2 ? 0 : static_cast<std::size_t>(std::min(status_class, 5)) - 1]->add(1);
  say(end, verdict, server, records);
}

void Common::say(const HttpEnd& end, Verdict verdict, const HttpServerName& server, std::uint64_t records) {
  const std::string words = options.log_answers ? printable(end.body) : "its words are not logged";
  if (verdict == Verdict::delivered) {
    if (options.log_answers && !end.body.empty()) log.debug("{} answered {}: \"{}\"", server.text(), end.status, words);
    if (std::exchange(failing_, false)) log.info("{} takes records again", server.text());
    return;
  }
  if (verdict == Verdict::too_large && records > 1) {
    log.debug("{} found a body of {} records too large; it goes out in halves", server.text(), records);
    return;
  }
  if (verdict != Verdict::retry) {
    if (const auto n = refused_log_.pass(loop.now())) {
      log.warn(
          "{} answered {} to {} records, which are not sent again: \"{}\" ({} such answers since the last such "
          "line)",
          server.text(), end.status, records, words, *n);
    }
    return;
  }
  failing_ = true;
  const auto n = failing_log_.pass(loop.now());
  if (!n) return;
  if (end.status == 0) {
    log.warn("a request to {} failed: {}; its {} records go out again ({} failures since the last such line)",
             server.text(), printable(end.why.message()), records, *n);
  } else {
    log.warn("{} answered {}: \"{}\"; its {} records go out again ({} failures since the last such line)",
             server.text(), end.status, words, records, *n);
  }
}

}  // namespace logweir::http_out
