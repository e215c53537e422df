// SPDX-License-Identifier: Apache-2.0
#include "config/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "config/raw.h"

namespace logweir {
namespace {

constexpr std::size_t kMostMade = 4 * kMostConfBytes;

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto more = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), more);
}

}  // namespace

std::optional<std::string_view> Variables::find(const std::string& name) const {
  const auto own = own_.find(name);
  if (own != own_.end()) return own->second;
  const char* outside = std::getenv(name.c_str());
  if (outside != nullptr) return outside;
  return std::nullopt;
}

std::string Variables::expand_text(const std::string& text, const Place& place, Problems& problems) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find("${", at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) break;
    out.append(text, at, open - at);
    at = close + 1;
    const std::string inside = text.substr(open + 2, close - open - 2);
    const std::size_t dash = inside.find(":-");
    const std::string name = inside.substr(0, dash);
    if (!is_name(name)) {  // not ours: part of a regular expression, a template
      out.append(text, open, at - open);
      continue;
    }
    const std::optional<std::string_view> value = find(name);
    const bool has_default = dash != std::string::npos;
    if (value && !(value->empty() && has_default)) {
      out += *value;
    } else if (has_default) {
      out += inside.substr(dash + 2);
    } else if (!value) {
      problems.warning(place, fmt::format("the variable '{}' is not set; an empty text takes its place "
                                          "(${{{}:-default}} would give it a default)",
                                          name, name));
    }
    if (made_ + out.size() > kMostMade) break;
  }
  if (at < text.size()) out.append(text, at);
  made_ += out.size();
  if (made_ > kMostMade) {
    problems.error(place, fmt::format("the conf is larger than {} MiB with its variables put in", kMostMade >> 20));
    out.clear();
  }
  return out;
}

void Variables::expand(Node& node, Problems& problems) {
  if (made_ > kMostMade) return;
  if (node.scalar.find("${") != std::string::npos) node.scalar = expand_text(node.scalar, node.place, problems);
  for (Node& item : node.items) expand(item, problems);
  for (auto& [key, value] : node.entries) expand(value, problems);
}

}  // namespace logweir
