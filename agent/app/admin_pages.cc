// SPDX-License-Identifier: Apache-2.0
#include "app/admin_pages.h"

#include <algorithm>

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
    {"/api/v1/health", AdminRoute::plain_health, "ok with 200, or error with 500"},
    {"/api/v1/metrics/prometheus", AdminRoute::metrics, ""},
    {"/api/v2/metrics/prometheus", AdminRoute::metrics, ""},
};

}  // namespace

std::string_view admin_path(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

AdminRoute admin_route(std::string_view target) {
  const std::string_view path = admin_path(target);
  for (const Address& address : kAddresses) {
    if (address.path == path) return address.route;
  }
  return AdminRoute::none;
}

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

std::string query_value(std::string_view target, std::string_view name) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {};
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (decoded(part.substr(0, equals)) != name) continue;
    return equals == std::string_view::npos ? std::string() : decoded(part.substr(equals + 1));
  }
  return {};
}

std::string health_json(const std::vector<std::string>& reasons) {
  std::string json = reasons.empty() ? R"({"status":"ok","reasons":[)" : R"({"status":"failing","reasons":[)";
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (i > 0) json += ',';
    append_json(json, reasons[i]);
  }
  return json + "]}\n";
}

std::vector<AdminAddress> own_addresses() {
  std::vector<AdminAddress> addresses;
  for (const Address& address : kAddresses) {
    if (!address.about.empty()) addresses.push_back({std::string(address.path), std::string(address.about)});
  }
  return addresses;
}

std::string index_json(std::string_view version, const std::vector<AdminAddress>& addresses) {
  JsonOut out;
  out.open('{').key("fluent-bit").open('{').member("version", version).member("edition", "logweir");
  out.key("flags").open('[').close(']').close('}');
  out.key("logweir").open('{').member("version", version).key("addresses").open('{');
  for (const AdminAddress& address : addresses) out.line().member(address.path, address.about);
  return out.close('}').close('}').close('}').take() + "\n";
}

}  // namespace logweir
