// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "loop/stream.h"
#include "wire/http_request.h"
#include "wire/http_server.h"

namespace logweir {

// Resource, owned by its HttpServer. One client: reads a request, has it handled, writes the answer, and so on. While a
// request is handled and its answer written nothing more is read.
class HttpConnection final : public std::enable_shared_from_this<HttpConnection>, private StreamReader {
 public:
  struct Setup {
    Loop& loop;
    Nanos timeout;
    HttpServer::Handler handle;
    std::function<void(const HttpConnection&)> gone;  // called once, last; not after `abandon`
  };
  HttpConnection(Setup setup, std::unique_ptr<Stream> stream);
  void start();

  void answer(std::uint64_t request, const HttpAnswer& answer);
  void abandon();  // the server's: no more calls
  [[nodiscard]] bool waits_for_peer() const { return state_ == State::reading || state_ == State::draining; }
  [[nodiscard]] Nanos waiting_since() const { return since_; }

 private:
  enum class State : unsigned char {
    reading,   // for a request
    handling,  // waits for its answer
    writing,
    draining,  // said its last: takes what the peer still sends, so that the answer is not lost to a reset
    closed,
  };
  std::span<char> space() override;
  void received(std::size_t size) override;
  void ended(Status why) override;

  void serve();
  void handle(std::size_t used);
  void refuse(int status, std::string_view why);
  void write(std::string text, bool last);
  void flush();
  void written();
  void enter(State state);
  void timed_out();
  void close();

  static constexpr std::size_t kPiece = 16 * 1024;
  static constexpr std::size_t kMostDrained = 1 << 20;
  Setup setup_;
  std::unique_ptr<Stream> stream_;
  State state_ = State::reading;
  Nanos since_;
  std::string in_;  // at most one whole request and a piece
  std::vector<char> piece_ = std::vector<char>(kPiece);
  std::size_t drained_ = 0;
  HttpRequestParser parser_;
  HttpRequest request_;
  std::uint64_t number_ = 0;  // of the request being handled
  std::string out_;
  std::size_t out_at_ = 0;
  bool last_ = false;  // close when out_ is written
  Timer timer_;
  AfterTurn next_;  // serves what is already in in_
};

}  // namespace logweir
