// SPDX-License-Identifier: Apache-2.0
#include "app/pipeline_page.h"

#include <algorithm>
#include <map>

#include "app/json_out.h"
#include "app/routes.h"
#include "app/tap_desk.h"

namespace logweir {

namespace {

constexpr std::string_view kByOutcome = "logweir_output_records_total";

double seconds(Nanos time) {
  const Nanos milliseconds = time / kMillisecond;
  return static_cast<double>(milliseconds) / 1000;
}

std::string_view word_of(Breaker::State state) {
  if (state == Breaker::State::closed) return "closed";
  return state == Breaker::State::open ? "open" : "half_open";
}

// What was given up, or put aside, by reason.
void append_reasons(JsonOut& out, std::string_view key, const Figures::Series& series) {
  std::map<std::string_view, double> sums;
  for (const MetricSample* sample : series) sums[sample->label("reason")] += sample->value;
  out.key(key).open('{');
  for (const auto& [reason, count] : sums) {
    if (count > 0) out.member(reason, count);
  }
  out.close('}');
}

void append_ledger(JsonOut& out, const std::vector<PipelineSnapshot>& workers) {
  LedgerCounts c;
  for (const PipelineSnapshot& worker : workers) c += worker.ledger;
  out.key("ledger").open('{').member("recovered", c.recovered).member("read", c.read).member("made", c.made);
  out.member("merged", c.merged).member("filtered", c.filtered).member("unrouted", c.unrouted);
  out.member("replayed", c.replayed).member("delivered", c.delivered).member("dropped", c.dropped);
  out.member("dead_letter", c.dead_letter).member("waiting", c.waiting).member("discrepancy", c.discrepancy());
  out.close('}');
}

void append_input(JsonOut& out, const AgentFacts& facts, Figures& figures, std::size_t index) {
  const std::string& name = facts.plan.inputs[index].name;
  bool paused = false;
  for (const PipelineSnapshot& w : facts.workers) paused |= index < w.inputs.size() && w.inputs[index].paused;
  out.member("records", figures.count("logweir_input_records_total", name));
  out.member("bytes", figures.count("logweir_input_bytes_total", name)).member("paused", paused);
  out.member("paused_seconds", figures.sum("logweir_input_paused_seconds_total", name));
  if (!figures.of("logweir_input_unread_bytes", name).empty()) {
    out.member("unread_bytes", figures.count("logweir_input_unread_bytes", name));
    out.member("files", figures.count("logweir_input_files", name));
  }
  out.member("lost_bytes", figures.count("logweir_lost_bytes_total", name));
  out.member("truncated", figures.count("logweir_truncated_records_total", name));
  out.member("parse_failed", figures.count("logweir_parse_failed_records_total", name));
  append_reasons(out, "dropped", figures.of("logweir_dropped_records_total", name));
}

void append_filter(JsonOut& out, Figures& figures, const std::string& name) {
  out.member("records", figures.count("logweir_filter_records_total", name));
  out.member("filtered", figures.count("logweir_filtered_records_total", name));
  out.member("failed", figures.count("logweir_filter_errors_total", name));
}

// The lane of the worker that is worst off stands for all; counts are sums.
void append_lane(JsonOut& out, const std::vector<PipelineSnapshot>& workers, std::size_t index) {
  LaneSnapshot worst;
  std::uint64_t waiting = 0;
  std::uint64_t stored = 0;
  for (const PipelineSnapshot& worker : workers) {
    if (index >= worker.lanes.size()) continue;
    const LaneSnapshot& lane = worker.lanes[index];
    waiting += lane.waiting;
    stored += lane.stored;
    worst.breaker = std::max(worst.breaker, lane.breaker);
    worst.stuck |= lane.stuck;
    worst.failures_in_row = std::max(worst.failures_in_row, lane.failures_in_row);
    if (!lane.last_failure.empty()) worst.last_failure = lane.last_failure;
    if (!lane.spool_fault.empty()) worst.spool_fault = lane.spool_fault;
  }
  out.member("waiting", waiting).member("stored", stored).member("breaker", word_of(worst.breaker));
  out.member("failures_in_row", worst.failures_in_row).member("last_failure", worst.last_failure);
  out.member("stuck", worst.stuck).member("spool_fault", worst.spool_fault);
}

void append_delay(JsonOut& out, const Figures::Series& series) {
  std::vector<std::uint64_t> counts;
  for (const MetricSample* sample : series) {
    counts.resize(std::max(counts.size(), sample->counts.size()));
    for (std::size_t i = 0; i < sample->counts.size(); ++i) counts[i] += sample->counts[i];
  }
  out.key("delay").open('[');
  for (const std::uint64_t count : counts) out.raw(std::to_string(count));
  out.close(']');
}

void append_output(JsonOut& out, const AgentFacts& facts, Figures& figures, std::size_t index) {
  const std::string& name = facts.plan.outputs[index].name;
  out.member("records", figures.count(kByOutcome, name, "outcome", "delivered"));
  out.member("bytes", figures.count("logweir_output_bytes_total", name));
  out.member("retried", figures.count(kByOutcome, name, "outcome", "retried"));
  out.member("rejected", figures.count(kByOutcome, name, "outcome", "rejected"));
  out.member("retries", figures.count("logweir_output_retries_total", name));
  out.member("queue_bytes", figures.count("logweir_output_queue_bytes", name));
  out.member("in_flight", figures.count("logweir_output_in_flight_records", name));
  out.member("oldest_seconds", figures.sum("logweir_oldest_waiting_seconds", name));
  out.member("breaker_opens", figures.count("logweir_output_breaker_opens_total", name));
  append_lane(out, facts.workers, index);
  out.member("spool_bytes", figures.count("logweir_spool_bytes", name));
  append_reasons(out, "dropped", figures.of("logweir_dropped_records_total", name));
  append_reasons(out, "dead_letters", figures.of("logweir_dead_letter_records_total", name));
  append_delay(out, figures.of("logweir_delivery_delay_seconds", name));
}

void append_nodes(JsonOut& out, const AgentFacts& facts, Figures& figures, const RouteMap& map) {
  out.key("nodes").open('[');
  for (const RouteNode& node : map.nodes) {
    static constexpr std::string_view kKinds[] = {"input", "filter", "output"};
    out.line().open('{').member("id", node.id).member("kind", kKinds[static_cast<std::size_t>(node.kind)]);
    out.member("name", node.name).member("plugin", node.plugin).member("about", node.about);
    out.member("layer", node.layer);
    if (node.kind == RouteNode::Kind::input) append_input(out, facts, figures, node.number);
    if (node.kind == RouteNode::Kind::filter) append_filter(out, figures, node.name);
    if (node.kind == RouteNode::Kind::output) append_output(out, facts, figures, node.number);
    out.close('}');
  }
  out.close(']').key("edges").open('[');
  for (const RouteEdge& edge : map.edges) {
    out.open('{').member("from", map.nodes[edge.from].id).member("to", map.nodes[edge.to].id);
    out.member("certain", edge.certain).close('}');
  }
  out.close(']');
}

void append_log(JsonOut& out, const RecentLog& log) {
  out.key("log").open('[');
  for (const RecentLog::Line& line : log.lines()) {
    out.line().open('{').member("time", seconds(line.time)).member("level", word_of(line.level));
    out.member("component", line.component).member("text", line.text).close('}');
  }
  out.close(']');
}

}  // namespace

std::string pipeline_json(const AgentFacts& facts, Figures& figures) {
  std::uint64_t memory = 0;
  for (const PipelineSnapshot& worker : facts.workers) memory += worker.pool_bytes;
  JsonOut out;
  out.open('{').member("logweir", std::string_view(LOGWEIR_VERSION)).member("host", facts.host);
  out.member("time", seconds(facts.now)).member("uptime", seconds(facts.uptime));
  out.member("workers", facts.workers.size()).member("memory", memory).member("memory_limit", facts.memory_limit);
  out.member("unrouted", figures.count("logweir_unrouted_records_total", ""));
  out.member("tap", tap_is_on(facts.plan.service));
  out.key("health").open('[');
  for (const std::string& reason : facts.reasons) out.text(reason);
  out.close(']');
  append_ledger(out, facts.workers);
  out.key("delay_bounds").open('[');
  for (const double bound : seconds_buckets()) out.number(bound);
  out.close(']');
  append_nodes(out, facts, figures, routes_of(facts.plan));
  append_log(out, facts.log);
  return out.close('}').take() + "\n";
}

}  // namespace logweir
