// SPDX-License-Identifier: Apache-2.0
// A small layered layout: a column for each layer, in it the nodes, and the edges that pass by, ordered by the middle
// of what leads to them.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli_text.h"
#include "app/graph_command.h"
#include "metrics/text.h"

namespace logweir {

namespace {

constexpr double kBoxWidth = 200;
constexpr double kBoxHeight = 58;
constexpr double kColumn = 280;
constexpr double kRow = 78;
constexpr double kEdge = 20;
constexpr std::size_t kMostLetters = 22;

struct Spot {
  double x = 0;
  double y = 0;
};

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : tame(metric_text(text))) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// At most so many characters of it.
std::string short_text(std::string_view text) {
  const std::string good = metric_text(text);
  std::size_t letters = 0;
  std::size_t at = 0;
  while (at < good.size()) {
    if ((static_cast<unsigned char>(good[at]) & 0xC0) != 0x80 && ++letters > kMostLetters) break;
    ++at;
  }
  return at == good.size() ? good : good.substr(0, at) + "...";
}

// What takes a place in a column: a node, or an edge that passes by there.
struct Item {
  std::size_t layer = 0;
  std::vector<std::size_t> before;  // what leads to it, in the layer before or an earlier one
  double row = 0;
};

struct Layout {
  std::vector<Item> items;                      // the nodes, then what passes by
  std::vector<std::vector<std::size_t>> bends;  // by edge: its items
  std::size_t rows = 1;                         // of the longest column
};

// Where those that lead to it lie, on average; without any it stays where it is in the conf.
double middle_of(const Layout& layout, std::size_t item) {
  const std::vector<std::size_t>& before = layout.items[item].before;
  if (before.empty()) return static_cast<double>(item);
  double sum = 0;
  for (const std::size_t other : before) sum += layout.items[other].row;
  return sum / static_cast<double>(before.size());
}

void place_column(Layout& layout, std::size_t layer) {
  std::vector<std::pair<double, std::size_t>> column;
  for (std::size_t i = 0; i < layout.items.size(); ++i) {
    if (layout.items[i].layer == layer) column.emplace_back(middle_of(layout, i), i);
  }
  std::sort(column.begin(), column.end());  // of equals the earlier item first
  for (std::size_t row = 0; row < column.size(); ++row) layout.items[column[row].second].row = static_cast<double>(row);
  layout.rows = std::max(layout.rows, column.size());
}

Layout layout_of(const RouteMap& map) {
  Layout layout;
  for (const RouteNode& node : map.nodes) layout.items.push_back({node.layer, {}});
  for (const RouteEdge& edge : map.edges) {
    auto& bends = layout.bends.emplace_back();
    std::size_t last = edge.from;
    for (std::size_t layer = map.nodes[edge.from].layer + 1; layer < map.nodes[edge.to].layer; ++layer) {
      bends.push_back(layout.items.size());
      layout.items.push_back({layer, {last}});
      last = bends.back();
    }
    layout.items[edge.to].before.push_back(last);
  }
  for (std::size_t layer = 0; layer < map.layers; ++layer) place_column(layout, layer);
  return layout;
}

Spot spot_of(const Item& item) { return {kEdge + kColumn * static_cast<double>(item.layer), kEdge + kRow * item.row}; }

std::string box(const RouteNode& node, Spot spot) {
  static constexpr const char* kKinds[] = {"input", "filter", "output"};
  return fmt::format(
      "<g class=\"{}\"><title>{} ({}, {})</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>"
      "<text class=\"n\" x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\">{}</text>"
      "</g>\n",
      kKinds[static_cast<std::size_t>(node.kind)], xml(node.name), xml(node.plugin), xml(node.about), spot.x, spot.y,
      kBoxWidth, kBoxHeight, spot.x + 10, spot.y + 20, xml(short_text(node.name)), spot.x + 10, spot.y + 36,
      xml(node.plugin), spot.x + 10, spot.y + 50, xml(short_text(node.about)));
}

std::string curve(double x1, double y1, double x2, double y2) {
  const double bend = (x2 - x1) / 2;
  return fmt::format("C{} {} {} {} {} {}", x1 + bend, y1, x2 - bend, y2, x2, y2);
}

// From the right side of `from`, through the places of its own in the columns between, to the left side of `to`.
std::string arrow(const Layout& layout, std::size_t edge, const RouteEdge& ends) {
  const auto middle = [&](std::size_t item) { return spot_of(layout.items[item]).y + kBoxHeight / 2; };
  double x = spot_of(layout.items[ends.from]).x + kBoxWidth;
  double y = middle(ends.from);
  std::string path = fmt::format("M{} {}", x, y);
  for (const std::size_t bend : layout.bends[edge]) {
    const double left = spot_of(layout.items[bend]).x;
    path += curve(x, y, left, middle(bend)) + fmt::format("H{}", left + kBoxWidth);
    x = left + kBoxWidth;
    y = middle(bend);
  }
  path += curve(x, y, spot_of(layout.items[ends.to]).x - 2, middle(ends.to));
  return fmt::format("<path d=\"{}\" marker-end=\"url(#a)\"{}/>\n", path,
                     ends.certain ? "" : " stroke-dasharray=\"5 4\"");
}

constexpr const char* kStyle =
    "<style>svg{background:#fff;font:12px sans-serif}rect{fill:#f4f6f8;stroke:#667}path{fill:none;stroke:#667}"
    "text{fill:#445}.n{font-weight:bold;fill:#112}.input rect{stroke:#27824a}.output rect{stroke:#2563c0}"
    "marker path{fill:#667}@media(prefers-color-scheme:dark){svg{background:#14181d}rect{fill:#20262d}"
    "text{fill:#b6c0cc}.n{fill:#f0f4f8}}</style>\n<defs><marker id=\"a\" markerWidth=\"8\" markerHeight=\"8\" "
    "refX=\"7\" refY=\"4\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n";

}  // namespace

std::string graph_svg(const RouteMap& map) {
  const Layout layout = layout_of(map);
  const double width = 2 * kEdge + kColumn * static_cast<double>(map.layers - 1) + kBoxWidth;
  const double height = 2 * kEdge + kRow * static_cast<double>(layout.rows - 1) + kBoxHeight;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"the pipeline\">\n",
      width, height);
  out += kStyle;
  for (std::size_t i = 0; i < map.edges.size(); ++i) out += arrow(layout, i, map.edges[i]);
  for (std::size_t i = 0; i < map.nodes.size(); ++i) out += box(map.nodes[i], spot_of(layout.items[i]));
  return out + "</svg>\n";
}

}  // namespace logweir
