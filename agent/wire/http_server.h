// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "loop/listener.h"
#include "loop/loop.h"
#include "wire/http_request.h"

namespace logweir {

class HttpConnection;

// Value. What a request is answered with. The body of a HEAD request's answer is measured, not sent.
struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string headers = {};  // more of them, ours alone: "Name: value\r\n" each
};

// Value, copies share. The right to answer one request, once, now or later, on the server's thread; the first answer
// counts. Answering is harmless when the connection or the server is gone. Given up by all without an answer: 500.
class HttpReply {
 public:
  HttpReply(std::weak_ptr<HttpConnection> connection, std::uint64_t request);
  void send(const HttpAnswer& answer) const;
  // A plain refusal with a short text of its own, or "Not Found" and the like.
  void refuse(int status, std::string_view why = {}) const;

 private:
  struct Pending;
  std::shared_ptr<Pending> pending_;  // shared: a handler passes it through std::function, which copies
};

// Resource. A small HTTP/1.1 server for few, friendly clients that may be hostile: GET, HEAD and POST, keep-alive, one
// request at a time per connection (pipelined ones wait). Bounded: head 16 KiB, body 64 KiB, connections, the time to
// send a request and to take its answer. At the most connections the one that has been silent for longest makes room
// for a new one, so that slow or idle ones shut nobody out.
class HttpServer {
 public:
  using Handler = std::function<void(const HttpRequest&, HttpReply)>;
  struct Options {
    std::string host = "127.0.0.1";
    int port = 0;  // 0: the kernel picks, see port()
    std::size_t most_connections = 64;
    Nanos idle_timeout = 30 * kSecond;
  };
  // `handler` may destroy the server. Fails as Listener::open does, a busy port with Code::busy.
  static Result<std::unique_ptr<HttpServer>> open(Loop& loop, const Options& options, Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();
  [[nodiscard]] int port() const { return listener_->port(); }
  [[nodiscard]] std::size_t connections() const { return connections_.size(); }

 private:
  HttpServer(Loop& loop, const Options& options, Handler handler);
  void accepted(std::unique_ptr<Stream> stream);
  bool make_room();
  void gone(const HttpConnection& connection);

  Loop& loop_;
  const Options options_;
  Handler handler_;
  std::list<std::shared_ptr<HttpConnection>> connections_;  // shared with calls under way on their own stack
  std::unique_ptr<Listener> listener_;
};

}  // namespace logweir
