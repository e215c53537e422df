// SPDX-License-Identifier: Apache-2.0
#include "app/routes.h"

#include <algorithm>

#include "pipeline/matcher.h"

namespace logweir {

namespace {

using Kind = RouteNode::Kind;

// The tag as a wildcard: tail puts paths for `*` and groups for `<name>`.
std::string open_tag(std::string_view tag) {
  std::string out;
  bool inside = false;
  for (const char c : tag) {
    if (c == '<') {
      inside = true;
      out += '*';
    } else if (!inside) {
      out += c;
    }
    if (c == '>') inside = false;
  }
  return out;
}

enum class Fit : unsigned char { no, maybe, yes };

Fit fit_of(const std::string& tag, const std::string& match, const std::string& match_regex) {
  if (tag.find('*') == std::string::npos) {
    const auto matcher = Matcher::make(match, match_regex);
    return matcher.ok() && matcher.value().matches(tag) ? Fit::yes : Fit::no;
  }
  if (wildcard_match(match, tag)) return Fit::yes;
  return !match_regex.empty() || wildcards_meet(match, tag) ? Fit::maybe : Fit::no;
}

std::string about_match(const std::string& match, const std::string& match_regex) {
  return match_regex.empty() ? "match " + match : "match_regex " + match_regex;
}

template <typename Instance>
void add_node(RouteMap& map, Kind kind, std::size_t number, const Instance& instance, std::string about) {
  RouteNode& node = map.nodes.emplace_back();
  node.kind = kind;
  node.number = number;
  node.id = "ifo"[static_cast<std::size_t>(kind)] + std::to_string(number);
  node.name = instance.name;
  node.plugin = instance.entry != nullptr ? std::string(instance.entry->name) : "";
  node.about = std::move(about);
}

void add_edge(RouteMap& map, RouteEdge edge) {
  const auto known = std::find_if(map.edges.begin(), map.edges.end(),
                                  [&](const RouteEdge& e) { return e.from == edge.from && e.to == edge.to; });
  if (known == map.edges.end()) {
    map.edges.push_back(edge);
  } else {
    known->certain |= edge.certain;
  }
}

InputRoute route_of(const Plan& plan, std::size_t input) {
  InputRoute route;
  route.input = input;
  const std::string tag = open_tag(plan.inputs[input].tag);
  const std::size_t filters = plan.inputs.size();
  const std::size_t outputs = filters + plan.filters.size();
  for (std::size_t i = 0; i < plan.filters.size(); ++i) {
    const Fit fit = fit_of(tag, plan.filters[i].match, plan.filters[i].match_regex);
    if (fit != Fit::no) route.steps.push_back({input, filters + i, fit == Fit::yes});
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const Fit fit = fit_of(tag, plan.outputs[i].match, plan.outputs[i].match_regex);
    if (fit != Fit::no) route.ends.push_back({input, outputs + i, fit == Fit::yes});
  }
  return route;
}

// The filters hang one behind the other, the outputs at the last of them. What may pass by a filter is drawn through
// it: it is a picture.
void draw(RouteMap& map, const InputRoute& route) {
  std::size_t at = route.input;
  for (const RouteEdge& step : route.steps) {
    add_edge(map, {at, step.to, step.certain});
    map.nodes[step.to].layer = std::max(map.nodes[step.to].layer, map.nodes[at].layer + 1);
    at = step.to;
  }
  for (const RouteEdge& end : route.ends) add_edge(map, {at, end.to, end.certain});
}

}  // namespace

bool wildcards_meet(std::string_view a, std::string_view b) {
  // reach[j]: what was read of `a` so far can meet the first j characters of `b`.
  std::vector<bool> reach(b.size() + 1, false);
  reach[0] = true;
  for (std::size_t j = 0; j < b.size() && b[j] == '*'; ++j) reach[j + 1] = true;
  for (const char c : a) {
    std::vector<bool> next(b.size() + 1, false);
    next[0] = c == '*' && reach[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      if (c == '*' || b[j - 1] == '*') {
        next[j] = (c == '*' && (next[j - 1] || reach[j])) || (b[j - 1] == '*' && (next[j - 1] || reach[j]));
      } else {
        next[j] = c == b[j - 1] && reach[j - 1];
      }
    }
    reach = std::move(next);
  }
  return reach[b.size()];
}

RouteMap routes_of(const Plan& plan) {
  RouteMap map;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    add_node(map, Kind::input, i, plan.inputs[i], "tag " + plan.inputs[i].tag);
  }
  for (std::size_t i = 0; i < plan.filters.size(); ++i) {
    const FilterPlan& filter = plan.filters[i];
    add_node(map, Kind::filter, i, filter, about_match(filter.match, filter.match_regex));
    map.nodes.back().layer = 1;
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const OutputPlan& output = plan.outputs[i];
    add_node(map, Kind::output, i, output, about_match(output.match, output.match_regex));
  }
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) map.routes.push_back(route_of(plan, i));
  // A filter's place is settled in the conf's order, so each round settles at least one more of them.
  for (std::size_t round = 0; round <= plan.filters.size(); ++round) {
    for (const InputRoute& route : map.routes) draw(map, route);
  }
  std::size_t last = 0;
  for (const RouteNode& node : map.nodes) last = std::max(last, node.layer);
  for (RouteNode& node : map.nodes) {
    if (node.kind == Kind::output) node.layer = last + 1;
  }
  map.layers = last + 2;
  return map;
}

}  // namespace logweir
