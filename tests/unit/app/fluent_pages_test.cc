// SPDX-License-Identifier: Apache-2.0
#include "app/fluent_pages.h"

#include <doctest/doctest.h>

#include "app/fluent_metrics.h"
#include "plugins/builtin.h"
#include "support/promtool.h"

using namespace logweir;

namespace {

struct Deaf final : LogSink {
  void write(LogLevel, std::string_view, std::string_view) override {}
  [[nodiscard]] std::uint64_t dropped() const override { return 0; }
};

struct Facts {
  SystemClock clock;
  Deaf deaf;
  RecentLog log{deaf, clock};
  Plan plan;
  std::vector<PipelineSnapshot> workers{1};
  Metrics metrics;
  Facts() {
    plan.inputs.resize(1);
    plan.inputs[0].name = "in\"\n<b>";
    plan.filters.resize(1);
    plan.filters[0].name = "f";
    plan.outputs.resize(1);
    plan.outputs[0].name = "out";
    workers[0].inputs.push_back({true});
    workers[0].pool_bytes = 1;
    metrics.counter("logweir_input_records_total", "", {{"input", "in\"\n<b>"}}).add(3);
    metrics.counter("logweir_input_records_total", "", {{"input", "in\"\n<b>"}}).add(4);
    metrics.counter("logweir_output_records_total", "", {{"output", "out"}, {"outcome", "delivered"}}).add(5);
    metrics.counter("logweir_output_records_total", "", {{"output", "out"}, {"outcome", "retried"}}).add(6);
    metrics.counter("logweir_dropped_records_total", "", {{"component", "out"}, {"reason", "shed"}}).add(2);
  }
  [[nodiscard]] AgentFacts facts() const { return {plan, workers, log, "host", 0, 1'500'000'000, 90 * kSecond, 64}; }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("uptime, plugins and storage have the shapes that Fluent Bit's clients read") {
  CHECK(uptime_json(90061 * kSecond) ==
        "{\"uptime_sec\":90061,\"uptime_hr\":\"logweir has been running: 1 day, 1 hour, 1 minute and 1 second\"}\n");
  CHECK(plugins_json(builtin_shelf()).find("{\"inputs\":[\"") == 0);
  Facts some;
  Figures figures(some.metrics);
  CHECK(storage_json(some.facts(), figures) ==
        "{\"storage_layer\":{\"chunks\":{\"total_chunks\":1,\"mem_chunks\":1,\"fs_chunks\":0,\"fs_chunks_up\":0,"
        "\"fs_chunks_down\":0}},\"input_chunks\":{\"in\\\"\\n<b>\":{\"status\":{\"overlimit\":true,\"mem_size\":\"0b\","
        "\"mem_limit\":\"64b\"},\"chunks\":{\"total\":0,\"up\":0,\"down\":0,\"busy\":0,\"busy_size\":\"0b\"}}}}\n");
}

TEST_CASE("metrics by instance are ours under its names, summed over the workers") {
  Facts some;
  Figures figures(some.metrics);
  CHECK(fluent_metrics_json(some.facts(), figures) ==
        "{\"input\":{\"in\\\"\\n<b>\":{\"records\":7,\"bytes\":0}},\"filter\":{\"f\":{\"records\":0,\"drop_records\":0,"
        "\"add_records\":0}},\"output\":{\"out\":{\"proc_records\":5,\"proc_bytes\":0,\"errors\":0,\"retries\":0,"
        "\"retries_failed\":0,\"dropped_records\":2,\"retried_records\":6}}}\n");
}

TEST_CASE("its Prometheus pages and its text are well formed for hostile names") {
  Facts some;
  Figures figures(some.metrics);
  const auto families = fluent_families(some.facts(), figures);
  const std::string v2 = fluent_prometheus_v2(families);
  CHECK(has(v2, "\nfluentbit_input_records_total{name=\"in\\\"\\n<b>\"} 7\n"));
  CHECK(has(v2, "# TYPE fluentbit_input_ingestion_paused gauge\nfluentbit_input_ingestion_paused{name="));
  CHECK(has(v2, "fluentbit_uptime{hostname=\"host\"} 90\n"));
  const std::string v1 = fluent_prometheus_v1(families, 1'500'000'000);
  CHECK(has(v1, "\nfluentbit_output_proc_records_total{name=\"out\"} 5 1500\n"));
  CHECK(has(v1, "\nfluentbit_uptime 90 1500\n"));
  CHECK_FALSE(has(v1, "ingestion_paused"));
  CHECK(has(fluent_text(families, 1'500'000'000),
            "1970-01-01T00:00:01.500000000Z fluentbit_output_proc_records_total{name=\"out\"} = 5\n"));
  const PromtoolVerdict verdict = promtool_check(v2);
  if (verdict.present) CHECK_MESSAGE(verdict.accepted, verdict.said);
}
