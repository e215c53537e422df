// SPDX-License-Identifier: Apache-2.0
#include "app/admin_pages.h"

#include <cstdint>

#include "codec/json_text.h"

namespace logweir {

namespace {

struct Address {
  std::string_view path;
  AdminRoute route;
  std::string_view about;  // empty: an old address, not in the index
};

constexpr Address kAddresses[] = {
    {"/", AdminRoute::index, "this page"},
    {"/metrics", AdminRoute::metrics, "figures for Prometheus"},
    {"/health", AdminRoute::health, "200 when all is well, else 503, with the reasons as JSON"},
    {"/api/v1/ledger", AdminRoute::ledger, "where every record ended, by worker, source and output, as JSON"},
    {"/api/v1/health", AdminRoute::health, ""},
    {"/api/v1/metrics/prometheus", AdminRoute::metrics, ""},
    {"/api/v2/metrics/prometheus", AdminRoute::metrics, ""},
};

}  // namespace

void append_json(std::string& out, std::string_view text) {
  std::string inside(json_bound(text.size()) + kJsonSlack, '\0');
  std::uint64_t repaired = 0;
  const char* end = write_json_text(inside.data(), text, repaired);
  out += '"';
  out.append(inside.data(), static_cast<std::size_t>(end - inside.data()));
  out += '"';
}

AdminRoute admin_route(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  for (const Address& address : kAddresses) {
    if (address.path == path) return address.route;
  }
  return AdminRoute::none;
}

std::string health_json(const std::vector<std::string>& reasons) {
  std::string json = reasons.empty() ? R"({"status":"ok","reasons":[)" : R"({"status":"failing","reasons":[)";
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (i > 0) json += ',';
    append_json(json, reasons[i]);
  }
  return json + "]}\n";
}

std::string index_text(std::string_view version) {
  std::string text = "logweir " + std::string(version) + "\n\n";
  for (const Address& address : kAddresses) {
    if (address.about.empty()) continue;
    std::string path(address.path);
    path.resize(16, ' ');
    text += path + std::string(address.about) + "\n";
  }
  return text;
}

}  // namespace logweir
