// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <sstream>

#include "app/cli.h"
#include "app/figures.h"
#include "app/graph_command.h"
#include "app/pipeline_page.h"
#include "codec/json_tree.h"

using namespace logweir;

namespace {

struct Deaf final : LogSink {
  void write(LogLevel, std::string_view, std::string_view) override {}
  [[nodiscard]] std::uint64_t dropped() const override { return 0; }
};

template <typename Instance>
Instance& add(std::vector<Instance>& to, std::string name, std::string match = "") {
  Instance& instance = to.emplace_back();
  instance.name = std::move(name);
  if constexpr (std::is_same_v<Instance, InputPlan>) {
    instance.tag = std::move(match);
  } else {
    instance.match = std::move(match);
  }
  return instance;
}

const std::string kHostile = "<img src=x onerror=alert(1)>\"\\\n\xff";

Plan some_plan() {
  Plan plan;
  add(plan.inputs, kHostile, "var.log");
  add(plan.inputs, "files", "app.*");
  add(plan.inputs, "alone", "nobody");
  add(plan.filters, "f0", "var.*");
  add(plan.filters, "f1", "*log");
  add(plan.outputs, "all", "*.*");
  add(plan.outputs, "some", "app.a*");
  return plan;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

}  // namespace

TEST_CASE("two wildcards meet when some text fits both") {
  for (const auto& [a, b] : {std::pair("a*", "*b"), {"*", ""}, {"a.*.c", "a.b*"}, {"a*b*c", "*x*"}, {"ab", "a*b"}}) {
    CAPTURE(a);
    CHECK(wildcards_meet(a, b));
    CHECK(wildcards_meet(b, a));
  }
  for (const auto& [a, b] : {std::pair("a*", "b*"), {"", "a"}, {"*a", "*b"}, {"a*c", "abd"}, {"a*b", "a"}}) {
    CAPTURE(a);
    CHECK_FALSE(wildcards_meet(a, b));
    CHECK_FALSE(wildcards_meet(b, a));
  }
}

TEST_CASE("records go where tags and matches say, perhaps where a tag is made at run time") {
  const RouteMap map = routes_of(some_plan());
  CHECK(map.nodes.size() == 7);
  CHECK(map.nodes[3].layer == 1);
  CHECK(map.nodes[4].layer == 2);  // behind f0, for the first input
  CHECK(map.nodes[5].layer == 3);
  REQUIRE(map.routes[0].steps.size() == 2);
  REQUIRE(map.routes[1].steps.size() == 1);
  CHECK_FALSE(map.routes[1].steps[0].certain);  // app.*: one may end with "log"
  REQUIRE(map.routes[1].ends.size() == 2);
  CHECK(map.routes[1].ends[0].certain);
  CHECK_FALSE(map.routes[1].ends[1].certain);
  CHECK(map.routes[2].ends.empty());
}

TEST_CASE("each picture escapes what a name holds") {
  const RouteMap map = routes_of(some_plan());
  const std::string text = graph_text(map, false);
  CHECK(text.find("`-> all (") != std::string::npos);
  CHECK(text.find("`-- no output takes it") != std::string::npos);
  CHECK(text.find("onerror=alert(1)>\"\\?\xEF\xBF\xBD (") != std::string::npos);
  CHECK(graph_text(map, true).find("└─▶ all (") != std::string::npos);
  const std::string dot = graph_dot(map);
  CHECK(dot.find("alert(1)>\\\"\\\\?") != std::string::npos);
  CHECK(dot.find("  i1 -> f1 [style=dashed];\n") != std::string::npos);
  const std::string svg = graph_svg(map);
  CHECK(svg.find("<img") == std::string::npos);
  CHECK(svg.find("&lt;img src=x") != std::string::npos);
  CHECK(count(svg, "<rect") == map.nodes.size());
  CHECK(count(svg, "marker-end") == map.edges.size());
}

TEST_CASE("a format that the graph does not have is bad usage") {
  std::ostringstream out;
  std::ostringstream err;
  CHECK(run_graph({"png", false}, some_plan(), out, err) == kExitUsage);
  CHECK(err.str().find("text, dot or svg") != std::string::npos);
  CHECK(run_graph({"dot", false}, some_plan(), out, err) == 0);
}

TEST_CASE("the pipeline's document is JSON whatever names hold, and has each figure of each instance") {
  SystemClock clock;
  Deaf deaf;
  RecentLog log(deaf, clock);
  log.write(LogLevel::info, "a", "not kept");
  for (int i = 0; i < 60; ++i) log.write(LogLevel::warn, "b\"", "text \x01 " + std::to_string(i));
  Metrics metrics;
  metrics.counter("logweir_input_records_total", "", {{"input", kHostile}}).add(7);
  metrics.histogram("logweir_delivery_delay_seconds", "", seconds_buckets(), {{"output", "all"}}).observe(0.0002, 5);
  metrics.counter("logweir_dropped_records_total", "", {{"component", "all"}, {"reason", "a</script>"}}).add(2);
  const Plan plan = some_plan();
  std::vector<PipelineSnapshot> workers(2);
  for (PipelineSnapshot& worker : workers) {
    worker.ledger.read = 4;
    worker.inputs.resize(3);
    worker.lanes.push_back({"all", 3, 1, Breaker::State::closed, 0, "", false});
    worker.lanes.push_back({"some", 0, 0, Breaker::State::closed, 0, "", false});
  }
  workers[1].lanes[0].breaker = Breaker::State::open;
  Figures figures(metrics);
  const AgentFacts facts{plan, workers, log, "h", 0, 1'500'000'000, kSecond, 64, {"a reason"}};
  const auto page = read_json(pipeline_json(facts, figures));
  REQUIRE(page.ok());
  const JsonTree& tree = page.value();
  CHECK(tree.number_at("time") == 1.5);
  CHECK(tree.find("ledger")->number_at("read") == 8);
  const auto& nodes = tree.items_at("nodes");
  REQUIRE(nodes.size() == 7);
  CHECK(nodes[0].text_at("name") == "<img src=x onerror=alert(1)>\"\\\n\xEF\xBF\xBD");
  CHECK(nodes[0].number_at("records") == 7);
  CHECK(nodes[5].number_at("waiting") == 6);
  CHECK(nodes[5].text_at("breaker") == "open");
  CHECK(nodes[5].find("dropped")->number_at("a</script>") == 2);
  CHECK(nodes[5].items_at("delay").size() == tree.items_at("delay_bounds").size() + 1);
  CHECK(nodes[5].items_at("delay")[1].number == 5);
  CHECK(tree.items_at("log").size() == RecentLog::kMost);
  CHECK(tree.items_at("log")[0].text_at("text") == "text \x01 59");
  CHECK(tree.items_at("health")[0].text == "a reason");
}
