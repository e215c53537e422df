// SPDX-License-Identifier: Apache-2.0
#include "config/convert.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "config/convert_parts.h"
#include "config/schema.h"
#include "config/words.h"
#include "config/yaml_words.h"

namespace logweir {
namespace {

using Kind = RawItem::Kind;
using convert::Comments;
using convert::Entry;
using convert::Group;
using convert::Part;
using convert::Top;

constexpr std::size_t kLongestKey = 1000;  // YAML takes 1024 signs

std::string_view top_word(Top top) {
  switch (top) {
    case Top::env:
      return "env";
    case Top::includes:
      return "includes";
    case Top::service:
      return "service";
    case Top::parsers:
      return "parsers";
    case Top::multiline_parsers:
      return "multiline_parsers";
    case Top::pipeline:
      break;
  }
  return "pipeline";
}

class Writer {
 public:
  Writer(const convert::Shape& shape, const KeyTeller& teller) : shape_(shape), teller_(teller) {}

  std::string run() {
    comments(shape_.head, 0);
    for (std::size_t i = 0; i < shape_.documents.size(); ++i) {
      if (i > 0) out_ += "\n---";
      for (const Group& group : shape_.documents[i]) {
        if (!out_.empty() && !out_.ends_with("\n\n")) out_ += "\n";
        this->group(group);
      }
    }
    comments(shape_.foot, 0);
    return std::move(out_);
  }

 private:
  void line(int indent, std::string_view text) { out_ += fmt::format("{:{}}{}\n", "", indent, text); }

  // Blank lines in front only where something stands above them.
  void comments(const Comments& texts, int indent) {
    for (const std::string& text : texts) {
      if (!text.empty()) {
        line(indent, text);
      } else if (!out_.empty() && !out_.ends_with("\n\n") && !out_.ends_with(":\n")) {
        out_ += "\n";
      }
    }
  }

  void group(const Group& group) {
    switch (group.top) {
      case Top::env:
        return env(group);
      case Top::includes:
        return includes(group);
      case Top::service:
        return service(shape_.parts[group.parts.front()]);
      case Top::parsers:
      case Top::multiline_parsers:
        line(0, fmt::format("{}:", top_word(group.top)));
        for (const std::size_t index : group.parts) item(shape_.parts[index], 2);
        return;
      case Top::pipeline:
        line(0, "pipeline:");
        items_of(group, Kind::input, "inputs");
        items_of(group, Kind::filter, "filters");
        return items_of(group, Kind::output, "outputs");
    }
  }

  // A variable that is set twice may be used in between, so that all stay; as a list, since a map has each name once.
  void env(const Group& group) {
    std::set<std::string_view> names;
    for (const std::size_t index : group.parts) names.insert(shape_.parts[index].entries.front().key);
    const bool as_list = names.size() < group.parts.size();
    line(0, "env:");
    for (const std::size_t index : group.parts) {
      const Part& part = shape_.parts[index];
      const Entry& entry = part.entries.front();
      comments(part.above, 2);
      if (as_list) {
        line(2, fmt::format("- name: {}", yaml_value(entry.key)));
        line(4, fmt::format("value: {}", yaml_value(entry.value)));
      } else {
        line(2, fmt::format("{}: {}", yaml_key(entry.key), yaml_value(entry.value)));
      }
    }
  }

  void includes(const Group& group) {
    line(0, "includes:");
    for (const std::size_t index : group.parts) {
      comments(shape_.parts[index].above, 2);
      line(2, fmt::format("- {}", yaml_value(shape_.parts[index].entries.front().value)));
    }
  }

  void service(const Part& part) {
    comments(part.above, 0);
    line(0, "service:");
    entries(part, 2, "");
    comments(part.below, 2);
  }

  void items_of(const Group& group, Kind kind, std::string_view word) {
    bool begun = false;
    for (const std::size_t index : group.parts) {
      if (shape_.parts[index].kind != kind) continue;
      if (!begun) {
        if (!out_.ends_with(":\n")) out_ += "\n";
        line(2, fmt::format("{}:", word));
      }
      begun = true;
      item(shape_.parts[index], 4);
    }
  }

  void item(const Part& part, int indent) {
    comments(part.above, indent);
    if (part.entries.empty()) {
      line(indent, "- {}");
    } else {
      entries(part, indent + 2, "- ");
    }
    comments(part.below, indent + 2);
  }

  // `mark` stands in front of the first key, on its line.
  void entries(const Part& part, int indent, std::string_view mark) {
    std::string plugin;
    std::map<std::string, std::vector<std::size_t>> by_key;
    for (std::size_t i = 0; i < part.entries.size(); ++i) {
      const Entry& entry = part.entries[i];
      if (same_key(entry.key, "name")) plugin = entry.value;
      by_key[plain_key(entry.key)].push_back(i);
    }
    for (std::size_t i = 0; i < part.entries.size(); ++i) {
      const Entry& entry = part.entries[i];
      const std::string key = plain_key(entry.key);
      const std::vector<std::size_t>& places = by_key[key];
      const bool is_rule = part.kind == Kind::multiline_parser && key == "rule";
      const bool is_single = places.size() == 1 && !is_rule;
      const Repeated repeated = is_rule || is_single ? Repeated::list : teller_(part.kind, plugin, key);
      const bool overruled = repeated == Repeated::last && i != places.back();
      const bool in_list = repeated != Repeated::last && i != places.front();
      if (in_list) continue;
      const int at = indent - static_cast<int>(mark.size());
      comments(entry.above, overruled ? indent : at);
      if (overruled) {
        line(indent,
             fmt::format("# {} {}  (given again below, which counts)", yaml_comment(key), yaml_comment(entry.value)));
        continue;
      }
      const std::string front = fmt::format("{}{}:", mark, is_rule ? "rules" : yaml_key(key));
      mark = {};
      if (is_single || repeated == Repeated::last) {
        line(at, fmt::format("{} {}", front, yaml_value(entry.value)));
      } else {
        line(at, front);
        for (const std::size_t place : places)
          list_item(part.entries[place], place != i, is_rule, repeated, indent + 2);
      }
    }
  }

  void list_item(const Entry& entry, bool with_comments, bool is_rule, Repeated repeated, int indent) {
    if (with_comments) comments(entry.above, indent);
    if (is_rule) {
      rule(entry.value, indent);
    } else if (repeated == Repeated::comma_list) {
      for (const std::string_view word : split_words(entry.value, ',')) {
        if (!word.empty()) line(indent, fmt::format("- {}", yaml_value(word)));
      }
    } else {
      line(indent, fmt::format("- {}", yaml_value(entry.value)));
    }
  }

  void rule(const std::string& value, int indent) {
    const ClassicRule rule = parse_classic_rule(value).value_or(ClassicRule{});
    for (std::size_t i = 0; i < rule.size(); ++i) {
      line(indent, fmt::format("{}{}: {}", i == 0 ? "- " : "  ", kRuleKeys[i], yaml_value(rule[i])));
    }
  }

  const convert::Shape& shape_;
  const KeyTeller& teller_;
  std::string out_;
};

}  // namespace

std::string classic_to_yaml(std::string_view text, const std::string& name, const KeyTeller& teller,
                            Problems& problems) {
  const auto file = std::make_shared<const std::string>(name);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Problems own;
  for (const RawItem& item : read_classic(text, file, own)) {
    const auto too_long = [&](const std::string& key, const Place& place) {
      if (key.size() > kLongestKey) own.error(place, fmt::format("a key in YAML has at most {} signs", kLongestKey));
    };
    too_long(item.name, item.node.place);
    for (std::size_t i = 0; i < item.node.entries.size(); ++i) {
      too_long(item.node.entries[i].first, item.node.key_places[i]);
    }
  }
  for (const Problem& problem : own.all()) problems.add(problem);
  if (own.failed()) return {};
  return Writer(convert::shape_of(text, file, problems), teller).run();
}

}  // namespace logweir
