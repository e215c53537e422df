// SPDX-License-Identifier: Apache-2.0
#include "app/json_out.h"

#include <fmt/format.h>

#include <cmath>

#include "codec/json_text.h"

namespace logweir {

namespace {
constexpr double kMostWhole = 9e15;  // below 2^53
}

void append_json(std::string& out, std::string_view text) {
  std::string inside(json_bound(text.size()) + kJsonSlack, '\0');
  std::uint64_t repaired = 0;
  const char* end = write_json_text(inside.data(), text, repaired);
  out += '"';
  out.append(inside.data(), static_cast<std::size_t>(end - inside.data()));
  out += '"';
}

JsonOut& JsonOut::number(double value) {
  if (!std::isfinite(value)) return raw("null");
  if (value == std::floor(value) && std::abs(value) < kMostWhole) {
    return raw(std::to_string(static_cast<std::int64_t>(value)));
  }
  return raw(fmt::format("{:.15g}", value));
}

}  // namespace logweir
