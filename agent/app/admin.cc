// SPDX-License-Identifier: Apache-2.0
#include "app/admin.h"

#include <utility>

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

void Admin::add(AdminPage page) { pages_.push_back(std::move(page)); }

const AdminPage* Admin::added(std::string_view path) const {
  for (auto page = pages_.rbegin(); page != pages_.rend(); ++page) {
    if (page->path == path) return &*page;
  }
  return nullptr;
}

std::string Admin::index() const {
  std::vector<AdminAddress> addresses = own_addresses();
  for (const AdminPage& page : pages_) {
    if (!page.about.empty()) addresses.push_back({page.path, page.about});
  }
  return index_json(LOGWEIR_VERSION, addresses);
}

void Admin::handle(const HttpRequest& request, const HttpReply& reply) {
  const std::string_view path = admin_path(request.target);
  const AdminPage* page = added(path);
  const AdminRoute route = admin_route(request.target);
  if (page == nullptr && (route == AdminRoute::none || (route == AdminRoute::ledger && !ledger_))) {
    return reply.refuse(404, "there is no such address; see / for what there is");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return reply.send(
        {.status = 405, .body = "this address can only be read; use GET\n", .headers = "Allow: GET, HEAD\r\n"});
  }
  if (page == nullptr) return own_page(route, reply);
  if (page->take) return page->take(request, reply);
  if (!page->looks) return reply.send(page->answer(request));
  look_([self = self_, reply, request] {
    if (*self == nullptr) return;
    if (const AdminPage* found = (*self)->added(admin_path(request.target))) reply.send(found->answer(request));
  });
}

void Admin::own_page(AdminRoute route, const HttpReply& reply) {
  if (route == AdminRoute::index) return reply.send({200, "application/json", index()});
  if (route == AdminRoute::ledger) {
    return ledger_([self = self_, reply](std::string page) {
      if (*self != nullptr) reply.send({200, "application/json", std::move(page)});
    });
  }
  look_([self = self_, route, reply] {
    if (*self == nullptr) return;
    if (route == AdminRoute::metrics) return reply.send((*self)->metrics_page());
    reply.send(route == AdminRoute::health ? (*self)->health_page() : (*self)->plain_health_page());
  });
}

HttpAnswer Admin::metrics_page() const { return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_.scrape()}; }

HttpAnswer Admin::health_page() const {
  const std::vector<std::string> reasons = health_();
  return {reasons.empty() ? 200 : 503, "application/json", health_json(reasons)};
}

// As probes of Fluent Bit expect it.
HttpAnswer Admin::plain_health_page() const {
  const bool well = health_().empty();
  return {.status = well ? 200 : 500, .body = well ? "ok\n" : "error\n"};
}

}  // namespace logweir
