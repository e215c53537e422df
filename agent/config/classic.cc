// SPDX-License-Identifier: Apache-2.0
// What the lines of a classic conf mean.
#include <fmt/format.h>

#include <optional>

#include "config/classic_lines.h"
#include "config/schema.h"
#include "config/words.h"

namespace logweir {
namespace {

using Kind = RawItem::Kind;

class Sections {
 public:
  explicit Sections(Problems& problems) : problems_(problems) {}

  void line(const ClassicLine& line) {
    switch (line.kind) {
      case ClassicLine::Kind::section:
        return section(line);
      case ClassicLine::Kind::bad_section:  // whatever follows a bad header is not an error of its own
        current_.reset();
        skipping_ = true;
        return;
      case ClassicLine::Kind::entry:
        return entry(line);
      case ClassicLine::Kind::set:
        conf_.push_back({Kind::env, std::string(line.key), scalar(line)});
        return;
      case ClassicLine::Kind::include:
        conf_.push_back({Kind::include, {}, scalar(line)});
        return;
      case ClassicLine::Kind::blank:
      case ClassicLine::Kind::comment:
      case ClassicLine::Kind::bad:
        return;
    }
  }

  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  RawConf take() { return std::move(conf_); }

 private:
  void section(const ClassicLine& line) {
    current_.reset();
    skipping_ = true;
    if (const std::optional<Kind> kind = classic_section(line.key)) {
      ++nodes_;
      Node node;
      node.kind = Node::Kind::map;
      node.place = line.place;
      conf_.push_back({*kind, {}, std::move(node)});
      current_ = conf_.size() - 1;
      skipping_ = false;
    } else if (const std::string_view why = absent_section(line.key); !why.empty()) {
      problems_.warning(
          line.place, fmt::format("section [{}] of Fluent Bit has no meaning here: {}; it is ignored", line.key, why));
    } else {
      problems_.error(line.place,
                      fmt::format("unknown section [{}]; {}", line.key.substr(0, 80), classic_section_hint(line.key)));
    }
  }

  Node scalar(const ClassicLine& line) {
    ++nodes_;
    Node node;
    node.scalar = line.value;
    node.place = line.value_place;
    return node;
  }

  void entry(const ClassicLine& line) {
    if (skipping_) return;
    if (!current_) {
      problems_.error(line.place, fmt::format("'{}' stands before the first section, such as [SERVICE] or [INPUT]",
                                              line.key.substr(0, 80)));
      return;
    }
    RawItem& item = conf_[*current_];
    if (item.kind == Kind::multiline_parser && same_text(line.key, "rule")) return rule(line, item.node);
    add(item.node, line.key, scalar(line), line.place);
  }

  static void add(Node& to, std::string_view key, Node value, Place place) {
    to.key_places.push_back(std::move(place));
    to.entries.emplace_back(std::string(key), std::move(value));
  }

  // As YAML has it: one list `rules` of maps.
  void rule(const ClassicLine& line, Node& to) {
    const std::optional<ClassicRule> rule = parse_classic_rule(line.value);
    if (!rule) {
      problems_.error(line.value_place,
                      "a rule is three texts in double quotes: \"state\" \"/regular expression/\" \"next state\"");
      return;
    }
    Node map;
    map.kind = Node::Kind::map;
    map.place = line.value_place;
    for (std::size_t i = 0; i < rule->size(); ++i) {
      Node text = scalar(line);
      text.scalar = (*rule)[i];
      add(map, kRuleKeys[i], std::move(text), line.value_place);
    }
    Node* rules = to.entries.empty() ? nullptr : rules_of(to);
    if (rules == nullptr) {
      Node list;
      list.kind = Node::Kind::list;
      list.place = line.value_place;
      add(to, "rules", std::move(list), line.place);
      rules = &to.entries.back().second;
    }
    rules->items.push_back(std::move(map));
  }

  static Node* rules_of(Node& map) {
    for (auto& [key, value] : map.entries) {
      if (key == "rules" && value.kind == Node::Kind::list) return &value;
    }
    return nullptr;
  }

  Problems& problems_;
  RawConf conf_;
  std::optional<std::size_t> current_;  // the open section, an index into conf_
  bool skipping_ = false;
  std::size_t nodes_ = 0;
};

}  // namespace

RawConf read_classic(std::string_view text, const std::shared_ptr<const std::string>& file, Problems& problems) {
  ClassicLines lines(text, file, problems);
  Sections sections(problems);
  ClassicLine line;
  while (lines.next(line)) {
    sections.line(line);
    if (sections.nodes() > kMostConfNodes) {
      problems.error(line.place, fmt::format("more than {} entries in one file", kMostConfNodes));
      break;
    }
  }
  return sections.take();
}

}  // namespace logweir
