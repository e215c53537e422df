// SPDX-License-Identifier: Apache-2.0
#include "wire/http_connection.h"

#include <utility>

namespace logweir {

namespace {

constexpr Nanos kDrainTime = 2 * kSecond;

std::string text_of(const HttpAnswer& answer, bool with_body, bool last) {
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " " + std::string(http_reason(answer.status)) +
                     "\r\nContent-Type: " + answer.type + "\r\nContent-Length: " + std::to_string(answer.body.size()) +
                     "\r\n";
  if (answer.status == 405 && answer.headers.empty()) text += "Allow: GET, HEAD, POST\r\n";
  text += answer.headers;
  text += last ? "Connection: close\r\n\r\n" : "\r\n";
  if (with_body) text += answer.body;
  return text;
}

}  // namespace

HttpConnection::HttpConnection(Setup setup, std::unique_ptr<Stream> stream)
    : setup_(std::move(setup)),
      stream_(std::move(stream)),
      since_(setup_.loop.now()),
      timer_(setup_.loop.timers(), [this] { timed_out(); }),
      next_(setup_.loop, [this] {
        const auto alive = shared_from_this();
        serve();
      }) {}

void HttpConnection::start() {
  enter(State::reading);
  stream_->read(*this);
}

std::span<char> HttpConnection::space() { return piece_; }

void HttpConnection::received(std::size_t size) {
  const auto alive = shared_from_this();
  if (state_ == State::draining) {
    drained_ += size;
    if (drained_ > kMostDrained) close();
    return;
  }
  if (in_.empty()) enter(State::reading);  // the time for a request counts from its first byte
  in_.append(piece_.data(), size);
  serve();
}

// Heard only while reading: a client that ends its side behind its request still gets the answer.
void HttpConnection::ended(Status) {
  const auto alive = shared_from_this();
  close();
}

void HttpConnection::serve() {
  if (state_ != State::reading) return;
  const HttpRequestParser::Parsed parsed = parser_.parse(in_, request_);
  switch (parsed.state) {
    case HttpRequestParser::State::more:
      return;
    case HttpRequestParser::State::more_body: {
      std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      const iovec piece{go_on.data(), go_on.size()};
      const Result<std::size_t> sent = stream_->try_write({&piece, 1});
      if (!sent.ok() || sent.value() != go_on.size()) close();
      return;
    }
    case HttpRequestParser::State::refused:
      return refuse(parsed.status, parsed.reason);
    case HttpRequestParser::State::done:
      return handle(parsed.used);
  }
}

void HttpConnection::handle(std::size_t used) {
  in_.erase(0, used);
  if (in_.empty()) in_.shrink_to_fit();
  enter(State::handling);
  stream_->read_stop();
  last_ = !request_.keep_alive;
  setup_.handle(request_, HttpReply(weak_from_this(), ++number_));
}

void HttpConnection::refuse(int status, std::string_view why) {
  const HttpAnswer answer{.status = status, .body = std::string(why) + "\n"};
  write(text_of(answer, true, true), true);
}

void HttpConnection::answer(std::uint64_t request, const HttpAnswer& answer) {
  if (state_ != State::handling || request != number_) return;
  const auto alive = shared_from_this();
  write(text_of(answer, request_.method != "HEAD", last_), last_);
}

void HttpConnection::write(std::string text, bool last) {
  last_ = last;
  out_ = std::move(text);
  out_at_ = 0;
  stream_->read_stop();
  enter(State::writing);
  flush();
}

void HttpConnection::flush() {
  const iovec rest{out_.data() + out_at_, out_.size() - out_at_};
  const Result<std::size_t> sent = stream_->try_write({&rest, 1});
  if (!sent.ok()) return close();
  out_at_ += sent.value();
  if (out_at_ == out_.size()) return written();
  stream_->when_writable([this](const Status& status) {
    const auto alive = shared_from_this();
    if (!status.ok()) return close();
    flush();
  });
}

void HttpConnection::written() {
  out_ = {};
  if (last_) {
    stream_->shutdown_write();
    enter(State::draining);
  } else {
    enter(State::reading);
    if (!in_.empty()) next_.want();
  }
  stream_->read(*this);
}

// Each state has its time as a whole, however busily it trickles.
void HttpConnection::enter(State state) {
  state_ = state;
  since_ = setup_.loop.now();
  if (state == State::handling || state == State::closed) return timer_.cancel();
  timer_.arm(since_ + (state == State::draining ? kDrainTime : setup_.timeout), setup_.timeout / 32);
}

void HttpConnection::timed_out() {
  const auto alive = shared_from_this();
  if (state_ == State::reading && !in_.empty()) return refuse(408, "the request did not come in time");
  close();
}

void HttpConnection::close() {
  if (state_ == State::closed) return;
  const auto gone = std::exchange(setup_.gone, nullptr);
  abandon();
  if (gone) gone(*this);
}

void HttpConnection::abandon() {
  enter(State::closed);
  setup_.gone = nullptr;
  stream_.reset();
}

}  // namespace logweir
