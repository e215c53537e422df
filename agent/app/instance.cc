// SPDX-License-Identifier: Apache-2.0
#include "app/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace logweir {
namespace {

constexpr std::string_view kLevels = "off|error|warn|warning|info|debug|trace";
constexpr std::string_view kAliasHelp = "The instance's name in logs, metrics and saved positions; default: plugin.N.";
constexpr std::string_view kMatchHelp = "Takes records whose tag fits; * stands for any run of characters.";
constexpr std::string_view kMatchRegexHelp = "Takes records whose tag fits this regular expression, from its start.";

constexpr std::array kInputOptions = {
    option<&InputKeys::name>("name", "", "The plugin.", kRequired),
    option<&InputKeys::alias>("alias", "", kAliasHelp),
    option<&InputKeys::tag>("tag", "", "Tag of the records, which filters and outputs match; default: the name."),
    option<&InputKeys::parser>("parser", "", "Parsers to try on each line, in order.", kCommaList),
    option<&InputKeys::log_level>("log_level", "", "Level of this instance's own messages.", 0, kLevels),
    option<&InputKeys::mem_buf_limit>("mem_buf_limit", "0", "Taken and not needed: service.memory_limit bounds all."),
    option<&InputKeys::db>("db", "", "Fluent Bit's file of offsets; names the default state directory."),
    option<&InputKeys::storage>("storage.type", "memory",
                                "filesystem: outputs that fill up may put records on disk (`when_full: spill` where "
                                "they don't say otherwise).",
                                0, "memory|filesystem"),
    option<&InputKeys::tls>("tls", "off", "Only for plugins that have it as a key of their own."),
};
constexpr std::array<std::string_view, 15> kInputElsewhere = {"log_suppress_interval",
                                                              "routable",
                                                              "storage.*",
                                                              "threaded",
                                                              "thread.*",
                                                              "rate_window",
                                                              "rate_gate",
                                                              "rate_gate.*",
                                                              "ipv6",
                                                              "processors",
                                                              "routes",
                                                              "http_server.*",
                                                              "oauth2.*",
                                                              "net.*",
                                                              "tls.*"};

constexpr std::array kFilterOptions = {
    option<&FilterKeys::name>("name", "", "The plugin.", kRequired),
    option<&FilterKeys::alias>("alias", "", kAliasHelp),
    option<&FilterKeys::match>("match", "", kMatchHelp),
    option<&FilterKeys::match_regex>("match_regex", "", kMatchRegexHelp),
    option<&FilterKeys::log_level>("log_level", "", "Level of this instance's own messages.", 0, kLevels),
    option<&FilterKeys::active>("active", "on", "Off: the filter is left out."),
};
constexpr std::array<std::string_view, 1> kFilterElsewhere = {"log_suppress_interval"};

constexpr std::array kOutputOptions = {
    option<&OutputKeys::name>("name", "", "The plugin.", kRequired),
    option<&OutputKeys::alias>("alias", "", kAliasHelp),
    option<&OutputKeys::match>("match", "", kMatchHelp),
    option<&OutputKeys::match_regex>("match_regex", "", kMatchRegexHelp),
    option<&OutputKeys::log_level>("log_level", "", "Level of this instance's own messages.", 0, kLevels),
    option<&OutputKeys::tls>("tls", "off", "Only for plugins that have it as a key of their own."),
};
constexpr std::array<std::string_view, 9> kOutputElsewhere = {
    "log_suppress_interval", "workers", "storage.*", "processors", "routes", "ipv6", "oauth2.*", "net.*", "tls.*"};

// What is to be encrypted must not go in the clear because nobody reads the key.
template <typename Keys>
void check_tls(const void* options, const Node& node, Problems& problems) {
  if (!static_cast<const Keys*>(options)->tls) return;
  const Node* tls = node.find("tls");
  problems.error(tls != nullptr ? tls->place : node.place,
                 "'tls' is on, but this plugin can't do it: nothing would be encrypted; leave it off, or use a local "
                 "TLS proxy");
}

void add(Node& to, const Node& from, std::size_t entry, std::string key) {
  to.entries.emplace_back(std::move(key), from.entries[entry].second);
  to.key_places.push_back(entry < from.key_places.size() ? from.key_places[entry] : from.entries[entry].second.place);
}

Node empty_like(const Node& node) {
  Node out;
  out.kind = Node::Kind::map;
  out.place = node.place;
  return out;
}

}  // namespace

const Schema& input_keys_schema() {
  static constexpr Schema kSchema{kInputOptions, kInputElsewhere, check_tls<InputKeys>};
  return kSchema;
}
const Schema& filter_keys_schema() {
  static constexpr Schema kSchema{kFilterOptions, kFilterElsewhere, nullptr};
  return kSchema;
}
const Schema& output_keys_schema() {
  static constexpr Schema kSchema{kOutputOptions, kOutputElsewhere, check_tls<OutputKeys>};
  return kSchema;
}

std::vector<std::string_view> keys_of(const Schema& schema) {
  std::vector<std::string_view> keys;
  for (const Option& option : schema.options) keys.push_back(option.key);
  return keys;
}

bool has_option(const Schema& schema, std::string_view written) {
  return std::any_of(schema.options.begin(), schema.options.end(),
                     [&](const Option& option) { return same_key(written, option.key); });
}

Shares share_out(const Node& instance, const Schema& plugin, const Schema& common, const Schema* lane) {
  Shares shares{empty_like(instance), empty_like(instance), empty_like(instance)};
  for (std::size_t i = 0; i < instance.entries.size(); ++i) {
    const std::string& key = instance.entries[i].first;
    const bool own = has_option(plugin, key);
    const bool is_flush = lane != nullptr && !own && same_key(key, "flush");
    const bool is_lane = is_flush || (lane != nullptr && has_option(*lane, key));
    // A plugin with TLS of its own answers for it alone.
    const bool is_common = has_option(common, key) && !(own && same_key(key, "tls"));
    const bool is_nobodys = !own && !is_lane && !is_common;
    const bool to_common =
        is_nobodys && !is_known_key(key, plugin.known_elsewhere) && is_known_key(key, common.known_elsewhere);
    if (is_lane) add(shares.lane, instance, i, is_flush ? "linger" : key);
    if (is_common || to_common) add(shares.common, instance, i, key);
    if (own || (is_nobodys && !to_common)) add(shares.own, instance, i, key);
  }
  return shares;
}

std::string Names::name(std::string_view plugin, const std::string& alias, const Place& place, Problems& problems) {
  auto count = std::find_if(counts_.begin(), counts_.end(), [&](const auto& entry) { return entry.first == plugin; });
  if (count == counts_.end()) count = counts_.insert(counts_.end(), {std::string(plugin), 0});
  const int number = count->second++;
  std::string name = alias.empty() ? fmt::format("{}.{}", plugin, number) : alias;
  if (!names_.insert(name).second) {
    problems.error(place, fmt::format("two {}s are called '{}'; give each an alias of its own", kind_, name));
  }
  return name;
}

std::string Names::id(std::string stable) {
  std::string id = stable;
  for (int copy = 2; !ids_.insert(id).second; ++copy) id = fmt::format("{}#{}", stable, copy);
  return id;
}

}  // namespace logweir
