// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/convert.h"
#include "config/raw.h"
#include "config/schema.h"
#include "config/tree.h"

namespace {

using logweir::Node;
using logweir::RawConf;
using logweir::RawItem;
using logweir::Repeated;

Repeated teller(RawItem::Kind kind, std::string_view, std::string_view key) {
  if (kind == RawItem::Kind::multiline_parser && key == "rules") return Repeated::list;  // what `rule` becomes
  return !key.empty() && key.front() < 'm' ? Repeated::last : Repeated::list;
}

std::string flat(const Node& node) {
  std::string out = node.scalar;
  for (const Node& item : node.items) out += "\x1f" + flat(item);
  for (const auto& [key, value] : node.entries) out += "\x1e" + key + "\x1d" + flat(value);
  return out;
}

// What a conf says, by kind, without how it is written.
std::map<RawItem::Kind, std::vector<std::string>> meaning(const RawConf& conf) {
  std::map<RawItem::Kind, std::vector<std::string>> all;
  std::map<std::string, std::vector<std::string>> service;
  for (const RawItem& item : conf) {
    if (item.kind == RawItem::Kind::env || item.kind == RawItem::Kind::include) {
      all[item.kind].push_back(item.name + "=" + item.node.scalar);
      continue;
    }
    std::map<std::string, std::vector<std::string>> entries;
    auto& keys = item.kind == RawItem::Kind::service ? service : entries;
    for (const auto& [written, value] : item.node.entries) {
      const std::string key = logweir::plain_key(written);
      std::vector<std::string>& values = keys[key];
      if (teller(item.kind, {}, key) == Repeated::last) values.clear();
      if (value.kind != Node::Kind::list) values.push_back(flat(value));
      for (const Node& one : value.items) values.push_back(flat(one));
    }
    std::string text;
    for (const auto& [key, values] : entries) {
      text += "\n" + key;
      for (const std::string& value : values) text += "|" + value;
    }
    if (item.kind != RawItem::Kind::service) all[item.kind].push_back(text);
  }
  for (const auto& [key, values] : service) {
    std::string text = key;
    for (const std::string& value : values) text += "|" + value;
    all[RawItem::Kind::service].push_back(text);
  }
  return all;
}

void convert(std::string_view text) {
  logweir::Problems problems;
  const std::string yaml = logweir::classic_to_yaml(text, "fuzz.conf", teller, problems);
  if (problems.failed()) return;
  const auto name = std::make_shared<const std::string>("fuzz");
  logweir::Problems none;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const RawConf before = logweir::read_classic(text, name, none);
  const RawConf after = logweir::read_yaml(yaml, name, none);
  if (!none.failed() && meaning(before) == meaning(after)) return;
  std::fprintf(stderr, "%s\n%s\n", none.text().c_str(), yaml.c_str());
  std::abort();
}

}  // namespace

// Any bytes as a classic conf, its values as sizes and durations, and the same as YAML: never a crash, and the YAML
// says what the conf says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  logweir::Problems problems;
  const logweir::ConfTree tree = logweir::read_conf_text(text, "fuzz.conf", problems);
  for (const auto& node : tree.inputs) {
    if (node.kind != Node::Kind::map || node.entries.size() != node.key_places.size()) std::abort();
    for (const auto& [key, value] : node.entries) {
      (void)logweir::parse_size(value.scalar);
      if (const auto length = logweir::parse_duration(value.scalar); length && *length < 0) std::abort();
    }
  }
  (void)problems.text();
  convert(text);
  return 0;
}
