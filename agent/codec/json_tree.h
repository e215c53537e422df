// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace logweir {

// Value. A JSON document as a tree, for small ones such as an admin page; records never go through it.
struct JsonTree {
  enum class Kind : unsigned char { null, truth, number, text, list, map };
  Kind kind = Kind::null;
  bool truth = false;
  double number = 0;  // large whole numbers lose their last digits
  std::string text;
  std::vector<std::string> keys;  // of a map; as many as items
  std::vector<JsonTree> items;    // of a list or map

  // The last of that name; null when there is none, or this is no map.
  [[nodiscard]] const JsonTree* find(std::string_view name) const;
  [[nodiscard]] double number_at(std::string_view name) const;     // 0 when there is none
  [[nodiscard]] std::string text_at(std::string_view name) const;  // empty when there is none
  [[nodiscard]] const std::vector<JsonTree>& items_at(std::string_view name) const;
};

// Refuses what is not JSON, and what is nested deeper than `most_depth`.
Result<JsonTree> read_json(std::string_view text, std::size_t most_depth = 32);

}  // namespace logweir
