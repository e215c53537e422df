// SPDX-License-Identifier: Apache-2.0
#include "codec/json_tree.h"

#include <simdjson.h>

#include <algorithm>

namespace logweir {

namespace {

using Element = simdjson::dom::element;
using Type = simdjson::dom::element_type;

bool build(const Element& from, JsonTree& to, std::size_t depth);

bool build_items(const Element& from, JsonTree& to, std::size_t depth) {
  if (depth == 0) return false;
  if (from.type() == Type::ARRAY) {
    to.kind = JsonTree::Kind::list;
    for (const Element item : simdjson::dom::array(from)) {
      if (!build(item, to.items.emplace_back(), depth - 1)) return false;
    }
    return true;
  }
  to.kind = JsonTree::Kind::map;
  for (const auto& [key, value] : simdjson::dom::object(from)) {
    to.keys.emplace_back(key);
    if (!build(value, to.items.emplace_back(), depth - 1)) return false;
  }
  return true;
}

bool build(const Element& from, JsonTree& to, std::size_t depth) {
  switch (from.type()) {
    case Type::ARRAY:
    case Type::OBJECT:
      return build_items(from, to, depth);
    case Type::STRING:
      to.kind = JsonTree::Kind::text;
      to.text = std::string_view(from);
      return true;
    case Type::BOOL:
      to.kind = JsonTree::Kind::truth;
      to.truth = bool(from);
      return true;
    case Type::NULL_VALUE:
      return true;
    default:
      to.kind = JsonTree::Kind::number;
      to.number = double(from);
      return true;
  }
}

}  // namespace

const JsonTree* JsonTree::find(std::string_view name) const {
  const auto found = std::find(keys.rbegin(), keys.rend(), name);
  if (found == keys.rend()) return nullptr;
  return &items[static_cast<std::size_t>(keys.rend() - found) - 1];
}

double JsonTree::number_at(std::string_view name) const {
  const JsonTree* found = find(name);
  return found != nullptr && found->kind == Kind::number ? found->number : 0;
}

std::string JsonTree::text_at(std::string_view name) const {
  const JsonTree* found = find(name);
  return found != nullptr && found->kind == Kind::text ? found->text : std::string();
}

const std::vector<JsonTree>& JsonTree::items_at(std::string_view name) const {
  static const std::vector<JsonTree> kNone;
  const JsonTree* found = find(name);
  return found != nullptr ? found->items : kNone;
}

Result<JsonTree> read_json(std::string_view text, std::size_t most_depth) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  Element root;
  const simdjson::error_code error = parser.parse(padded).get(root);
  if (error != simdjson::SUCCESS) {
    return Status(Code::invalid, std::string("this is no JSON: ") + simdjson::error_message(error));
  }
  JsonTree tree;
  if (!build(root, tree, most_depth)) return Status(Code::invalid, "this JSON is nested too deep");
  return tree;
}

}  // namespace logweir
