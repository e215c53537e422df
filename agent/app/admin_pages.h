// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace logweir {

enum class AdminRoute : unsigned char { none, index, metrics, health, ledger };

// What a request target (path, perhaps with a query) asks for. The addresses under /api are those that scrape confs
// and probes of Fluent Bit have.
AdminRoute admin_route(std::string_view target);

// {"status":"ok","reasons":[]} or "failing" with the reasons; any bytes.
std::string health_json(const std::vector<std::string>& reasons);

// Any bytes as a JSON string, quotes included.
void append_json(std::string& out, std::string_view text);

// The plain text of "/".
std::string index_text(std::string_view version);

}  // namespace logweir
