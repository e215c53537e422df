// SPDX-License-Identifier: Apache-2.0
// A plan as a conf in YAML: what `logweir check` shows.
#include <fmt/format.h>

#include "app/limits.h"
#include "app/paths.h"
#include "app/plan.h"
#include "config/words.h"

namespace logweir {
namespace {

std::string line(std::string_view key, const std::string& value) {
  return value.empty() ? std::string() : fmt::format("      {}: {}\n", key, in_quotes(value));
}

// "tail.0": made by us, not given.
bool is_made(std::string_view name, std::string_view plugin) {
  if (!name.starts_with(plugin) || name.size() < plugin.size() + 2 || name[plugin.size()] != '.') return false;
  return name.find_first_not_of("0123456789", plugin.size() + 1) == std::string_view::npos;
}

template <typename Instance>
std::string head(const Instance& instance) {
  const bool made = is_made(instance.name, instance.entry->name);
  return fmt::format("    - name: {}  # {}, {}, id {}\n{}", instance.entry->name, in_quotes(instance.name),
                     instance.place.text(), in_quotes(instance.id),
                     made ? std::string() : line("alias", instance.name));
}

template <typename Instance>
std::string own(const Instance& instance) {
  return render_values(*instance.entry->schema, instance.options.get(), 6);
}

std::string parsers(const std::vector<ParserOptions>& parsers) {
  if (parsers.empty()) return {};
  std::string out = "parsers:\n";
  for (const ParserOptions& parser : parsers) {
    std::string values = render_values(parser_schema(), &parser, 4);
    values[2] = '-';
    out += values;
  }
  return out;
}

// What the machine gives where the conf says nothing; as comments, so that the text stays good on another machine.
std::string chosen_here(const Plan& plan) {
  std::string out;
  if (plan.service.memory_limit.empty()) {
    out += fmt::format("  # memory_limit: {} here\n", schema_detail::print(Bytes{memory_limit_of(plan.service)}));
  }
  if (parse_workers(plan.service.workers) == 0u)
    out += fmt::format("  # workers: {} here\n", worker_count_of(plan.service));
  if (plan.service.state_dir.empty() && needs_state(plan)) {
    out += fmt::format("  # state_dir: {} here\n", in_quotes(state_directory(plan)));
  }
  return out;
}

}  // namespace

std::string print_plan(const Plan& plan) {
  std::string out =
      "service:\n" + render_values(service_schema(), &plan.service, 2) + chosen_here(plan) + parsers(plan.parsers);
  out += "pipeline:\n  inputs:\n";
  for (const InputPlan& input : plan.inputs) {
    out += head(input) + line("tag", input.tag) + line("parser", input.parser) + own(input);
  }
  if (!plan.filters.empty()) out += "  filters:\n";
  for (const FilterPlan& filter : plan.filters) {
    out += head(filter) + line("match", filter.match) + line("match_regex", filter.match_regex) + own(filter);
  }
  out += "  outputs:\n";
  for (const OutputPlan& output : plan.outputs) {
    out += head(output) + line("match", output.match) + line("match_regex", output.match_regex) +
           render_values(lane_schema(), &output.lane, 6) + own(output);
  }
  return out;
}

}  // namespace logweir
