// SPDX-License-Identifier: Apache-2.0
#include "wire/http_server.h"

#include <algorithm>
#include <utility>

#include "wire/http_connection.h"

namespace logweir {

struct HttpReply::Pending {
  std::weak_ptr<HttpConnection> connection;
  std::uint64_t request;
  bool answered = false;

  void send(const HttpAnswer& answer) {
    if (std::exchange(answered, true)) return;
    if (const auto alive = connection.lock()) alive->answer(request, answer);
  }
  ~Pending() { send({.status = 500, .body = "nobody answered this request\n"}); }
};

HttpReply::HttpReply(std::weak_ptr<HttpConnection> connection, std::uint64_t request)
    : pending_(new Pending{std::move(connection), request}) {}

void HttpReply::send(const HttpAnswer& answer) const { pending_->send(answer); }

void HttpReply::refuse(int status, std::string_view why) const {
  send({.status = status, .body = std::string(why.empty() ? http_reason(status) : why) + "\n"});
}

HttpServer::HttpServer(Loop& loop, const Options& options, Handler handler)
    : loop_(loop), options_(options), handler_(std::move(handler)) {}

Result<std::unique_ptr<HttpServer>> HttpServer::open(Loop& loop, const Options& options, Handler handler) {
  std::unique_ptr<HttpServer> server(new HttpServer(loop, options, std::move(handler)));
  auto listener =
      Listener::open(loop, {.host = options.host, .port = options.port},
                     [self = server.get()](std::unique_ptr<Stream> stream) { self->accepted(std::move(stream)); });
  if (!listener.ok()) return listener.status();
  server->listener_ = std::move(listener).value();
  return server;
}

HttpServer::~HttpServer() {
  for (const auto& connection : connections_) connection->abandon();
}

void HttpServer::accepted(std::unique_ptr<Stream> stream) {
  if (connections_.size() >= options_.most_connections && !make_room()) return;  // closes the new one
  HttpConnection::Setup setup{loop_, options_.idle_timeout, handler_,
                              [this](const HttpConnection& connection) { gone(connection); }};
  connections_.push_back(std::make_shared<HttpConnection>(std::move(setup), std::move(stream)));
  connections_.back()->start();
}

// All are being answered: nobody can make room.
bool HttpServer::make_room() {
  auto silent = connections_.end();
  for (auto at = connections_.begin(); at != connections_.end(); ++at) {
    const bool older = silent == connections_.end() || (*at)->waiting_since() < (*silent)->waiting_since();
    if ((*at)->waits_for_peer() && older) silent = at;
  }
  if (silent == connections_.end()) return false;
  (*silent)->abandon();
  connections_.erase(silent);
  return true;
}

void HttpServer::gone(const HttpConnection& connection) {
  std::erase_if(connections_, [&](const auto& each) { return each.get() == &connection; });
}

}  // namespace logweir
