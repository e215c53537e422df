// SPDX-License-Identifier: Apache-2.0
#include "app/top_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/terminal_text.h"

namespace logweir {

namespace {

constexpr std::size_t kLeastName = 12;
constexpr std::size_t kMostName = 40;
constexpr std::size_t kMostLog = 5;
constexpr std::array<std::string_view, 8> kTitles = {"rec/s", "B/s",    "p50",     "p99",
                                                     "queue", "unread", "retries", "breaker"};
constexpr std::size_t kCell = 9;

struct Row {
  std::string name;
  std::array<std::string, kTitles.size()> cells;
};

double at(const std::vector<JsonTree>& list, std::size_t index) { return index < list.size() ? list[index].number : 0; }

// How much a counter has grown.
double grown(const JsonTree* before, const JsonTree& now, std::string_view name) {
  const double was = before != nullptr ? before->number_at(name) : 0;
  const double is = now.number_at(name);
  return is >= was ? is - was : is;
}

const JsonTree* same_node(const JsonTree& before, const JsonTree& node) {
  for (const JsonTree& other : before.items_at("nodes")) {
    if (other.text_at("kind") == node.text_at("kind") && other.text_at("name") == node.text_at("name")) return &other;
  }
  return nullptr;
}

Row row_of(const JsonTree& before, const JsonTree& now, const JsonTree& node, double seconds) {
  const JsonTree* was = same_node(before, node);
  const std::string kind = node.text_at("kind");
  Row row;
  row.name = fmt::format("{} {}", kind == "input" ? "in " : kind == "filter" ? "flt" : "out", node.text_at("name"));
  row.cells.fill("-");
  row.cells[0] = short_number(grown(was, node, "records") / seconds);
  if (kind != "filter") row.cells[1] = short_number(grown(was, node, "bytes") / seconds);
  if (kind == "input" && node.find("unread_bytes") != nullptr)
    row.cells[5] = short_number(node.number_at("unread_bytes"));
  if (kind == "input" && node.find("paused") != nullptr && node.find("paused")->truth) row.cells[7] = "paused";
  if (kind != "output") return row;
  static const std::vector<JsonTree> kNone;
  const auto& delays_were = was != nullptr ? was->items_at("delay") : kNone;
  const auto delay = [&](double share) {
    return short_seconds(share_of_delays(now.items_at("delay_bounds"), delays_were, node.items_at("delay"), share));
  };
  row.cells[2] = delay(0.5);
  row.cells[3] = delay(0.99);
  row.cells[4] = short_number(node.number_at("waiting"));
  row.cells[6] = short_number(node.number_at("retries"));
  row.cells[7] = node.text_at("breaker");
  return row;
}

std::string head_of(const JsonTree& now) {
  const JsonTree* ledger = now.find("ledger");
  const double waiting = ledger != nullptr ? ledger->number_at("waiting") : 0;
  const double dropped = ledger != nullptr ? ledger->number_at("dropped") : 0;
  return fmt::format("logweir {} on {}, up {}s; memory {} of {}; {} wait, {} dropped", now.text_at("logweir"),
                     now.text_at("host"), static_cast<std::int64_t>(now.number_at("uptime")),
                     short_number(now.number_at("memory")), short_number(now.number_at("memory_limit")),
                     short_number(waiting), short_number(dropped));
}

void add_log(std::vector<std::string>& lines, const JsonTree& now, std::size_t width) {
  const auto add = [&](std::string_view text) { lines.push_back(in_column(terminal_text(text), width)); };
  for (const JsonTree& reason : now.items_at("health")) add("! " + reason.text);
  const auto& log = now.items_at("log");
  if (!log.empty()) add("last warnings:");
  for (std::size_t i = 0; i < std::min(log.size(), kMostLog); ++i) {
    add(fmt::format("  {} {}: {}", log[i].text_at("level"), log[i].text_at("component"), log[i].text_at("text")));
  }
}

}  // namespace

double share_of_delays(const std::vector<JsonTree>& bounds, const std::vector<JsonTree>& before,
                       const std::vector<JsonTree>& now, double share) {
  const auto count = [&](std::size_t i) { return std::max(0.0, at(now, i) - at(before, i)); };
  double total = 0;
  for (std::size_t i = 0; i < now.size(); ++i) total += count(i);
  if (total <= 0 || bounds.empty()) return -1;
  double below = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const double here = count(i);
    if (below + here >= share * total && here > 0) {
      const double low = i > 0 ? at(bounds, i - 1) : 0;
      return low + (at(bounds, i) - low) * (share * total - below) / here;
    }
    below += here;
  }
  return bounds.back().number;
}

std::string short_number(double value) {
  if (!(value > 0)) return "0";
  static constexpr std::array<const char*, 6> kUnits = {"", "k", "M", "G", "T", "P"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", value, value < 9.95 && unit > 0 ? 1 : 0, kUnits[unit]);
}

std::string short_seconds(double seconds) {
  if (seconds < 0) return "-";
  if (seconds < 0.00995) return fmt::format("{:.2f}ms", seconds * 1000);
  if (seconds < 0.9995) return fmt::format("{:.0f}ms", seconds * 1000);
  return fmt::format("{:.{}f}s", seconds, seconds < 9.95 ? 1 : 0);
}

std::vector<std::string> top_lines(const JsonTree& before, const JsonTree& now, std::size_t width) {
  const double passed = now.number_at("time") - before.number_at("time");
  const double seconds = passed > 0 ? passed : 1;
  std::vector<Row> rows;
  std::size_t name = kLeastName;
  for (const JsonTree& node : now.items_at("nodes")) {
    rows.push_back(row_of(before, now, node, seconds));
    rows.back().name = terminal_text(rows.back().name);
    name = std::max(name, rows.back().name.size());
  }
  const std::size_t cells = kCell * kTitles.size();
  name = std::min({name, kMostName, width > cells + kLeastName ? width - cells : kLeastName});
  std::vector<std::string> lines;
  lines.push_back(in_column(terminal_text(head_of(now)), width));
  std::string titles = in_column("instance", name);
  for (const std::string_view title : kTitles) titles += in_column(title, kCell, true);
  lines.push_back(in_column(titles, width));
  for (const Row& row : rows) {
    std::string line = in_column(row.name, name);
    for (const std::string& cell : row.cells) line += " " + in_column(terminal_text(cell), kCell - 1, true);
    lines.push_back(in_column(line, width));
  }
  add_log(lines, now, width);
  return lines;
}

}  // namespace logweir
