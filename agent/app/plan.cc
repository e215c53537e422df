// SPDX-License-Identifier: Apache-2.0
#include "app/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/instance.h"
#include "app/parser_plan.h"
#include "base/hash.h"
#include "pipeline/matcher.h"

namespace logweir {
namespace {

const Place& place_of(const Node& node, std::string_view key) {
  const Node* value = node.find(key);
  return value != nullptr ? value->place : node.place;
}

std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

// One run of make_plan.
class Planner {
 public:
  Planner(const ConfTree& tree, const Shelf& shelf, Problems& problems)
      : tree_(tree), shelf_(shelf), problems_(problems) {}

  std::optional<Plan> run() {
    const bool read_well = !problems_.failed();
    service();
    for (const Node& node : tree_.inputs) input(node);
    for (const Node& node : tree_.filters) filter(node);
    for (const Node& node : tree_.outputs) output(node);
    plan_.parsers = plan_parsers(tree_, plan_.inputs, problems_);
    // After a fault in the text, what is missing may be behind it.
    if (read_well && tree_.inputs.empty()) missing("input", "inputs", "[INPUT]", "-i");
    if (read_well && tree_.outputs.empty()) missing("output", "outputs", "[OUTPUT]", "-o");
    if (problems_.failed()) return std::nullopt;
    settle_when_full();
    look_for_dead_ends();
    return std::move(plan_);
  }

 private:
  // Records that no output asks for, and outputs that ask for what nobody brings: mostly a tag that is misspelt.
  void look_for_dead_ends() {
    const auto takes = [](const OutputPlan& output, const std::string& tag) {
      const auto matcher = Matcher::make(output.match, output.match_regex);
      return !matcher.ok() || matcher.value().matches(tag);
    };
    const auto is_open = [](const std::string& tag) { return tag.find('*') != std::string::npos; };
    const auto& outputs = plan_.outputs;
    const auto& inputs = plan_.inputs;
    for (const InputPlan& input : inputs) {
      const auto takes_it = [&](const OutputPlan& output) { return takes(output, input.tag); };
      if (is_open(input.tag) || std::any_of(outputs.begin(), outputs.end(), takes_it)) continue;
      problems_.warning(input.place,
                        fmt::format("no output's match takes the tag '{}' of input '{}'; its records would "
                                    "go nowhere",
                                    input.tag, input.name));
    }
    for (const OutputPlan& output : outputs) {
      const auto brings = [&](const InputPlan& input) { return is_open(input.tag) || takes(output, input.tag); };
      const bool asks = !output.match.empty() || !output.match_regex.empty();
      if (!asks || std::any_of(inputs.begin(), inputs.end(), brings)) continue;
      problems_.warning(output.place,
                        fmt::format("no input has a tag that output '{}' takes with match '{}'; it would "
                                    "get no records",
                                    output.name, output.match.empty() ? output.match_regex : output.match));
    }
  }

  // The only route answers an outage by reading later; of several, one must not stop the others.
  void settle_when_full() {
    const WhenFull usual = may_spill_ || plan_.outputs.size() > 1 ? WhenFull::spill : WhenFull::block;
    for (OutputPlan& output : plan_.outputs) {
      if (output.lane.when_full == WhenFull::automatic) output.lane.when_full = usual;
    }
  }

  void missing(std::string_view what, std::string_view key, std::string_view section, std::string_view flag) {
    problems_.error(tree_.service.place, fmt::format("the conf has no {}; add one under pipeline.{} (YAML), as {} "
                                                     "(classic) or with {} NAME on the command line",
                                                     what, key, section, flag));
  }

  void service() {
    ServiceOptions& service = plan_.service;
    read_options(service_schema(), tree_.service, {}, &service, problems_);
    if (service.log_level == "warning") service.log_level = "warn";
    for (const std::string_view key : {"http_server", "http_listen", "http_port"}) {
      if (tree_.service.find(key) != nullptr) service.http_explicit = true;
    }
  }

  // The plugin that an instance names; nullptr when there is none, which is then told.
  template <typename Entry>
  const Entry* find(std::string_view kind, std::span<const Entry* const> entries, const Node& node) {
    const Node* name = node.find("name");
    if (name == nullptr || name->kind != Node::Kind::scalar || name->scalar.empty()) {
      problems_.error(name != nullptr ? name->place : node.place,
                      fmt::format("the {} does not say which plugin it is; give it 'name', such as 'name: {}'", kind,
                                  entries.empty() ? "x" : entries.front()->name));
      return nullptr;
    }
    std::vector<std::string_view> known;
    for (const Entry* entry : entries) {
      if (same_key(name->scalar, entry->name)) return entry;
      known.push_back(entry->name);
    }
    const std::string_view near = nearest(name->scalar, known);
    problems_.error(name->place,
                    fmt::format("unknown {} '{}'; {}the known ones are {}", kind, name->scalar.substr(0, 80),
                                near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(known, ", ")));
    return nullptr;
  }

  template <typename Entry>
  OptionsPtr options_of(const Entry& entry, const Node& own, std::span<const std::string_view> others) {
    std::shared_ptr<void> options = entry.make_options();
    read_options(*entry.schema, own, others, options.get(), problems_);
    return options;
  }

  void input(const Node& node) {
    const InputEntry* entry = find("input", shelf_.inputs, node);
    if (entry == nullptr) return;
    const Shares shares = share_out(node, *entry->schema, input_keys_schema(), nullptr);
    InputKeys keys;
    read_options(input_keys_schema(), shares.common, {}, &keys, problems_);
    InputPlan plan;
    plan.entry = entry;
    plan.place = node.place;
    plan.options = options_of(*entry, shares.own, keys_of(input_keys_schema()));
    plan.name = input_names_.name(entry->name, keys.alias, place_of(node, "alias"), problems_);
    const std::string identity = identity_of(*entry->schema, plan.options.get());
    plan.id =
        input_names_.id(keys.alias.empty() ? fmt::format("{}-{}", entry->name, hex(hash64(identity))) : keys.alias);
    plan.tag = keys.tag.empty() ? plan.name : keys.tag;
    plan.parser = fmt::format("{}", fmt::join(keys.parser, ","));
    plan.mem_buf_limit = fmt::format("{}", keys.mem_buf_limit.value);
    plan.db = keys.db;
    plan.log_level = keys.log_level;
    if (keys.storage == StorageType::filesystem) may_spill_ = true;
    plan_.inputs.push_back(std::move(plan));
  }

  void filter(const Node& node) {
    const FilterEntry* entry = find("filter", shelf_.filters, node);
    if (entry == nullptr) return;
    const Shares shares = share_out(node, *entry->schema, filter_keys_schema(), nullptr);
    FilterKeys keys;
    read_options(filter_keys_schema(), shares.common, {}, &keys, problems_);
    FilterPlan plan;
    plan.entry = entry;
    plan.place = node.place;
    plan.options = options_of(*entry, shares.own, keys_of(filter_keys_schema()));
    plan.name = filter_names_.name(entry->name, keys.alias, place_of(node, "alias"), problems_);
    const std::string identity = identity_of(*entry->schema, plan.options.get());
    plan.id =
        filter_names_.id(keys.alias.empty() ? fmt::format("{}-{}", entry->name, hex(hash64(identity))) : keys.alias);
    plan.match = keys.match;
    plan.match_regex = keys.match_regex;
    plan.log_level = keys.log_level;
    check_match("filter", plan.name, keys.match, keys.match_regex, node);
    if (keys.active) plan_.filters.push_back(std::move(plan));
  }

  void output(const Node& node) {
    const OutputEntry* entry = find("output", shelf_.outputs, node);
    if (entry == nullptr) return;
    const Shares shares = share_out(node, *entry->schema, output_keys_schema(), &lane_schema());
    OutputKeys keys;
    read_options(output_keys_schema(), shares.common, {}, &keys, problems_);
    OutputPlan plan;
    plan.entry = entry;
    plan.place = node.place;
    std::vector<std::string_view> others = keys_of(output_keys_schema());
    for (const std::string_view key : keys_of(lane_schema())) others.push_back(key);
    others.push_back("flush");
    plan.options = options_of(*entry, shares.own, others);
    plan.name = output_names_.name(entry->name, keys.alias, place_of(node, "alias"), problems_);
    plan.id = output_id(*entry, plan, keys.alias);
    // As in Fluent Bit: between one input and one output there is nothing to choose.
    const bool only_way = tree_.inputs.size() == 1 && tree_.outputs.size() == 1;
    plan.match = only_way && keys.match.empty() && keys.match_regex.empty() ? "*" : keys.match;
    plan.match_regex = keys.match_regex;
    plan.log_level = keys.log_level;
    check_match("output", plan.name, plan.match, keys.match_regex, node);
    lane(shares.lane, *entry, plan.lane);
    plan_.outputs.push_back(std::move(plan));
  }

  std::string output_id(const OutputEntry& entry, const OutputPlan& plan, const std::string& alias) {
    const std::string target = entry.destination != nullptr ? entry.destination(plan.options.get()) : std::string();
    if (!alias.empty()) return output_names_.id(fmt::format("{}@{}", alias, hex(hash64(target))));
    const std::uint64_t hash = hash64(target, hash64(identity_of(*entry.schema, plan.options.get())));
    return output_names_.id(fmt::format("{}-{}", entry.name, hex(hash)));
  }

  void check_match(std::string_view kind, const std::string& name, const std::string& match,
                   const std::string& match_regex, const Node& node) {
    if (match.empty() && match_regex.empty()) {
      problems_.warning(node.place, fmt::format("{} '{}' has neither match nor match_regex, so it gets no records; "
                                                "match: '*' takes all",
                                                kind, name));
    }
    if (match_regex.empty()) return;
    const auto matcher = Matcher::make(match, match_regex);
    if (!matcher.ok()) problems_.error(place_of(node, "match_regex"), matcher.status().message());
  }

  // The effective options of a lane: what its output says, then the service's, then the plugin's.
  void lane(const Node& node, const OutputEntry& entry, LaneOptions& lane) {
    read_options(lane_schema(), node, {}, &lane, problems_);
    const ServiceOptions& service = plan_.service;
    if (lane.linger.value < 0) {
      const bool gathers = entry.linger > 0;
      lane.linger.value = gathers && service.flush.value >= 0 ? service.flush.value : entry.linger;
    }
    if (node.find("backoff_base") == nullptr && service.scheduler_base.value >= 0) {
      lane.backoff_base = service.scheduler_base;
    }
    if (node.find("backoff_cap") == nullptr && service.scheduler_cap.value >= 0) {
      lane.backoff_cap = service.scheduler_cap;
    }
    lane.backoff_cap.value = std::max(lane.backoff_cap.value, lane.backoff_base.value);
    lane.batch_bytes.value = std::min(lane.batch_bytes.value, lane.queue_bytes.value);
  }

  const ConfTree& tree_;
  const Shelf& shelf_;
  Problems& problems_;
  Plan plan_;
  bool may_spill_ = false;  // an input asks for it
  Names input_names_{"input"}, filter_names_{"filter"}, output_names_{"output"};
};

}  // namespace

std::optional<Plan> make_plan(const ConfTree& tree, const Shelf& shelf, Problems& problems) {
  return Planner(tree, shelf, problems).run();
}

}  // namespace logweir
