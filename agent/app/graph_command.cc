// SPDX-License-Identifier: Apache-2.0
#include "app/graph_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ostream>

#include "app/cli.h"
#include "app/cli_text.h"
#include "metrics/text.h"

namespace logweir {

namespace {

std::string shown(const std::string& text) { return tame(metric_text(text)); }

std::string dot_text(const std::string& text) {
  std::string out;
  for (const char c : shown(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string line_of(const RouteNode& node) {
  return fmt::format("{} ({}, {})", shown(node.name), shown(node.plugin), shown(node.about));
}

}  // namespace

bool terminal_has_unicode() {
  if (::isatty(STDOUT_FILENO) == 0) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    const std::string_view locale(value);
    return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
  }
  return false;
}

std::string graph_text(const RouteMap& map, bool unicode) {
  std::string out;
  for (const InputRoute& route : map.routes) {
    out += line_of(map.nodes[route.input]) + "\n";
    const auto add = [&](const RouteEdge& edge, const char* sign) {
      out += fmt::format("{} {}{}\n", sign, line_of(map.nodes[edge.to]), edge.certain ? "" : ", as the tag says");
    };
    for (const RouteEdge& step : route.steps) add(step, unicode ? "├──" : "|--");
    for (const RouteEdge& end : route.ends) {
      const bool last = &end == &route.ends.back();
      add(end, unicode ? (last ? "└─▶" : "├─▶") : (last ? "`->" : "|->"));
    }
    if (route.ends.empty()) out += std::string(unicode ? "└──" : "`--") + " no output takes it: counted as unrouted\n";
  }
  return out;
}

std::string graph_dot(const RouteMap& map) {
  std::string out = "digraph logweir {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n";
  for (const RouteNode& node : map.nodes) {
    out += fmt::format("  {} [label=\"{}\\n{}\\n{}\"];\n", node.id, dot_text(node.name), dot_text(node.plugin),
                       dot_text(node.about));
  }
  for (const RouteEdge& edge : map.edges) {
    out += fmt::format("  {} -> {}{};\n", map.nodes[edge.from].id, map.nodes[edge.to].id,
                       edge.certain ? "" : " [style=dashed]");
  }
  return out + "}\n";
}

int run_graph(const GraphRequest& request, const Plan& plan, std::ostream& out, std::ostream& err) {
  const RouteMap map = routes_of(plan);
  if (request.format == "text") {
    out << graph_text(map, request.unicode);
  } else if (request.format == "dot") {
    out << graph_dot(map);
  } else if (request.format == "svg") {
    out << graph_svg(map);
  } else {
    err << fmt::format("logweir: error: --format can't be '{}'; it must be text, dot or svg\n", tame(request.format));
    return kExitUsage;
  }
  return out.flush().good() ? 0 : 1;
}

}  // namespace logweir
