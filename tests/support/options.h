// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.h"

namespace logweir {

// What a schema says about these keys and values, as a user would write them.
inline Problems problems_of(const Schema* schema, const std::shared_ptr<void>& options,
                            const std::vector<std::pair<std::string, std::string>>& keys) {
  Node node;
  node.kind = Node::Kind::map;
  for (const auto& [key, value] : keys) {
    Node scalar;
    scalar.scalar = value;
    node.entries.emplace_back(key, scalar);
    node.key_places.emplace_back();
  }
  Problems problems;
  read_options(*schema, node, {}, options.get(), problems);
  return problems;
}

}  // namespace logweir
