// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/json_out.h"

namespace logweir {

enum class AdminRoute : unsigned char { none, index, metrics, health, plain_health, ledger };

// What a request target (path, perhaps with a query) asks for of the pages that are always there. The addresses under
// /api are those that scrape confs and probes of Fluent Bit have.
AdminRoute admin_route(std::string_view target);
// Its path, without a slash at the end.
std::string_view admin_path(std::string_view target);
// The value of a parameter in the query, with %XX and + undone; empty when it is not there.
std::string query_value(std::string_view target, std::string_view name);

// {"status":"ok","reasons":[]} or "failing" with the reasons; any bytes.
std::string health_json(const std::vector<std::string>& reasons);

// Value. A line of the index.
struct AdminAddress {
  std::string path;
  std::string about;
};
std::vector<AdminAddress> own_addresses();
// The page "/": a `fluent-bit` object, as its clients expect one, and what there is.
std::string index_json(std::string_view version, const std::vector<AdminAddress>& addresses);

}  // namespace logweir
