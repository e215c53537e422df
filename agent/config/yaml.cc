// SPDX-License-Identifier: Apache-2.0
// What the sections of a YAML conf mean.
#include <fmt/format.h>

#include <array>

#include "config/raw.h"
#include "config/schema.h"
#include "config/yaml_nodes.h"

namespace logweir {
namespace {

using Kind = RawItem::Kind;

constexpr std::array<std::string_view, 6> kTopKeys = {"service",           "env",     "includes", "parsers",
                                                      "multiline_parsers", "pipeline"};
constexpr std::array<std::string_view, 5> kAbsentKeys = {"stream_processor", "plugins", "upstream_servers", "customs",
                                                         "extensions"};
constexpr std::array<std::string_view, 3> kPipelineKeys = {"inputs", "filters", "outputs"};

std::string_view kind_word(const Node& node) {
  if (node.kind == Node::Kind::list) return "a list";
  return node.kind == Node::Kind::map ? "a map" : "a text";
}

bool is_nothing(const Node& node) {
  return node.kind == Node::Kind::scalar && !node.quoted &&
         (node.scalar.empty() || node.scalar == "null" || node.scalar == "~");
}

class Sections {
 public:
  explicit Sections(Problems& problems) : problems_(problems) {}

  void document(Node& root) {
    if (is_nothing(root)) return;
    if (root.kind != Node::Kind::map) {
      problems_.error(root.place, fmt::format("a conf is a map with the keys {}; found {}", fmt::join(kTopKeys, ", "),
                                              kind_word(root)));
      return;
    }
    // Variables first: an include above `env:` may use them.
    for (auto& [key, value] : root.entries) {
      if (same_key(key, "env")) env(value);
    }
    for (std::size_t i = 0; i < root.entries.size(); ++i) {
      top(root.entries[i].first, root.entries[i].second, root.key_places[i]);
    }
  }

  RawConf take() { return std::move(conf_); }

 private:
  void put(Kind kind, Node node, std::string name = {}) { conf_.push_back({kind, std::move(name), std::move(node)}); }

  void top(const std::string& key, Node& value, const Place& place) {
    if (same_key(key, "env")) return;
    if (same_key(key, "service")) return service(value);
    if (same_key(key, "includes")) return includes(value);
    if (same_key(key, "parsers")) return maps(Kind::parser, "parsers", value);
    if (same_key(key, "multiline_parsers")) return maps(Kind::multiline_parser, "multiline_parsers", value);
    if (same_key(key, "pipeline")) return pipeline(value);
    if (is_known_key(key, kAbsentKeys)) {
      problems_.warning(place, fmt::format("section '{}' of Fluent Bit is not built here; it is ignored", key));
      return;
    }
    unknown("section", key, "", kTopKeys, place);
  }

  void unknown(std::string_view what, const std::string& key, std::string_view where,
               std::span<const std::string_view> known, const Place& place) {
    const std::string_view near = nearest(key, known);
    const std::string hint = near.empty() ? fmt::format("the known ones are {}", fmt::join(known, ", "))
                                          : fmt::format("did you mean '{}'?", near);
    problems_.error(place, fmt::format("unknown {} '{}'{}; {}", what, key.substr(0, 80), where, hint));
  }

  void wrong(const Node& value, std::string_view key, std::string_view wanted) {
    problems_.error(value.place, fmt::format("'{}' must be {}; found {}", key, wanted, kind_word(value)));
  }

  void service(Node& value) {
    if (is_nothing(value)) return;
    if (value.kind != Node::Kind::map) return wrong(value, "service", "a map of keys");
    put(Kind::service, std::move(value));
  }

  void env(Node& value) {
    if (is_nothing(value)) return;
    if (value.kind == Node::Kind::scalar) return wrong(value, "env", "a map of names and values");
    for (auto& [name, text] : value.entries) variable(std::move(name), text);
    for (Node& item : value.items) {
      const Node* name = item.find("name");
      const Node* text = item.find("value");
      if (name == nullptr || text == nullptr || name->kind != Node::Kind::scalar) {
        problems_.error(item.place, "an entry of the 'env' list needs 'name' and 'value'");
        continue;
      }
      variable(name->scalar, *text);
    }
  }

  void variable(std::string name, const Node& text) {
    if (text.kind != Node::Kind::scalar) return wrong(text, name, "one text");
    put(Kind::env, text, std::move(name));
  }

  void includes(Node& value) {
    if (is_nothing(value)) return;
    if (value.kind == Node::Kind::map) return wrong(value, "includes", "a list of paths");
    if (value.kind == Node::Kind::scalar) return put(Kind::include, std::move(value));
    for (Node& path : value.items) {
      if (path.kind != Node::Kind::scalar) {
        wrong(path, "includes", "a list of paths");
      } else {
        put(Kind::include, std::move(path));
      }
    }
  }

  void maps(Kind kind, std::string_view key, Node& value) {
    if (is_nothing(value)) return;
    if (value.kind != Node::Kind::list) return wrong(value, key, "a list (write '- name: ...')");
    for (Node& item : value.items) {
      if (item.kind == Node::Kind::map) {
        put(kind, std::move(item));
      } else {
        problems_.error(item.place,
                        fmt::format("an entry of '{}' must be a map with 'name'; found {}", key, kind_word(item)));
      }
    }
  }

  void pipeline(Node& value) {
    if (is_nothing(value)) return;
    if (value.kind != Node::Kind::map) return wrong(value, "pipeline", "a map with inputs, filters and outputs");
    for (std::size_t i = 0; i < value.entries.size(); ++i) {
      auto& [key, list] = value.entries[i];
      if (same_key(key, "inputs")) {
        maps(Kind::input, "inputs", list);
      } else if (same_key(key, "filters")) {
        maps(Kind::filter, "filters", list);
      } else if (same_key(key, "outputs")) {
        maps(Kind::output, "outputs", list);
      } else {
        unknown("key", key, " in 'pipeline'", kPipelineKeys, value.key_places[i]);
      }
    }
  }

  Problems& problems_;
  RawConf conf_;
};

}  // namespace

RawConf read_yaml(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems) {
  Sections sections(problems);
  for (Node& document : yaml_documents(text, file, problems)) sections.document(document);
  return sections.take();
}

}  // namespace logweir
