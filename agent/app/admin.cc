// SPDX-License-Identifier: Apache-2.0
#include "app/admin.h"

#include "app/admin_pages.h"

namespace logweir {

Admin::Admin(Loop& loop, Metrics& metrics, Look look, Health health, LedgerPage ledger)
    : loop_(loop),
      metrics_(metrics),
      look_(std::move(look)),
      health_(std::move(health)),
      ledger_(std::move(ledger)),
      self_(std::make_shared<Admin*>(this)) {}

Admin::~Admin() { *self_ = nullptr; }

Status Admin::open(const std::string& host, int port) {
  HttpServer::Options options;
  options.host = host;
  options.port = port;
  auto server = HttpServer::open(
      loop_, options, [this](const HttpRequest& request, const HttpReply& reply) { handle(request, reply); });
  if (!server.ok()) return server.status();
  server_ = std::move(server).value();
  return {};
}

void Admin::handle(const HttpRequest& request, const HttpReply& reply) {
  const AdminRoute route = admin_route(request.target);
  if (route == AdminRoute::none || (route == AdminRoute::ledger && !ledger_))
    return reply.refuse(404, "see / for what there is");
  if (request.method != "GET" && request.method != "HEAD") return reply.refuse(405, "this can only be read");
  if (route == AdminRoute::index) return reply.send({.body = index_text(LOGWEIR_VERSION)});
  if (route == AdminRoute::ledger) {
    return ledger_([self = self_, reply](std::string page) {
      if (*self != nullptr) reply.send({200, "application/json", std::move(page)});
    });
  }
  look_([self = self_, route, reply] {
    if (*self == nullptr) return;
    reply.send(route == AdminRoute::metrics ? (*self)->metrics_page() : (*self)->health_page());
  });
}

HttpAnswer Admin::metrics_page() const { return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_.scrape()}; }

HttpAnswer Admin::health_page() const {
  const std::vector<std::string> reasons = health_();
  return {reasons.empty() ? 200 : 503, "application/json", health_json(reasons)};
}

}  // namespace logweir
