// SPDX-License-Identifier: Apache-2.0
#include "app/fluent_metrics.h"

#include <fmt/format.h>

#include <array>

#include "app/cli_text.h"
#include "app/json_out.h"
#include "memory/pool.h"
#include "metrics/text.h"

namespace logweir {

namespace {

enum class Of : unsigned char { input, filter, output };
constexpr std::array<std::string_view, 3> kKinds = {"input", "filter", "output"};

// One of its counters and what of ours it is.
struct Mapping {
  Of of;
  std::string_view name;  // between the kind and "_total"
  std::string_view help;
  std::string_view ours;  // empty: always 0
  std::string_view label = {};
  std::string_view value = {};
  bool always = true;  // also where we have no such series
  bool v1 = true;
};

constexpr std::string_view kByOutcome = "logweir_output_records_total";
constexpr std::string_view kDropped = "logweir_dropped_records_total";
constexpr Mapping kMappings[] = {
    {Of::input, "records", "Number of input records.", "logweir_input_records_total"},
    {Of::input, "bytes", "Number of input bytes.", "logweir_input_bytes_total"},
    {Of::input, "files_rotated", "Number of rotated files.", "logweir_input_rotations_total", {}, {}, false},
    {Of::input,
     "long_line_truncated",
     "Number of truncated lines.",
     "logweir_truncated_records_total",
     {},
     {},
     true,
     false},
    {Of::filter, "records", "Number of records a filter looked at.", "logweir_filter_records_total"},
    {Of::filter, "drop_records", "Number of records a filter took out.", "logweir_filtered_records_total"},
    {Of::filter, "add_records", "Number of records a filter added.", ""},
    {Of::output, "proc_records", "Number of delivered records.", kByOutcome, "outcome", "delivered"},
    {Of::output, "proc_bytes", "Number of delivered bytes.", "logweir_output_bytes_total"},
    {Of::output, "errors", "Number of records the peer rejected.", kByOutcome, "outcome", "rejected"},
    {Of::output, "retries", "Number of back-offs before a retry.", "logweir_output_retries_total"},
    {Of::output, "retries_failed", "Number of records at the end of their retries.", kDropped, "reason", "retry_limit"},
    {Of::output, "dropped_records", "Number of dropped records.", kDropped},
    {Of::output, "retried_records", "Number of records sent again.", kByOutcome, "outcome", "retried"},
};

std::vector<std::string> names_of(const Plan& plan, Of kind) {
  std::vector<std::string> names;
  if (kind == Of::input) {
    for (const InputPlan& input : plan.inputs) names.push_back(input.name);
  } else if (kind == Of::filter) {
    for (const FilterPlan& filter : plan.filters) names.push_back(filter.name);
  } else {
    for (const OutputPlan& output : plan.outputs) names.push_back(output.name);
  }
  return names;
}

bool shown(const Mapping& mapping, Figures& figures, const std::string& name) {
  return mapping.always || !figures.of(mapping.ours, name).empty();
}

double value_of(const Mapping& mapping, Figures& figures, const std::string& name) {
  return mapping.ours.empty() ? 0 : figures.sum(mapping.ours, name, mapping.label, mapping.value);
}

FluentFamily level(std::string name, std::string help, Labels labels, double value) {
  return {"fluentbit_" + std::move(name), std::move(help), false, false, {{std::move(labels), value}}};
}

void add_process(std::vector<FluentFamily>& out, const AgentFacts& facts) {
  const Labels host = {{"hostname", facts.host}};
  const Nanos seconds = facts.uptime / kSecond;
  const Nanos started = facts.started / kSecond;
  out.push_back({"fluentbit_uptime",
                 "Number of seconds that it has been running.",
                 false,
                 true,
                 {{host, static_cast<double>(seconds)}}});
  out.push_back(level("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", host,
                      static_cast<double>(started)));
  out.push_back(level("build_info", "Build version information.",
                      {{"hostname", facts.host}, {"version", LOGWEIR_VERSION}, {"os", "linux"}}, 1));
  FluentFamily lines{"fluentbit_logger_logs_total", "Total number of own log lines.", true, false};
  for (const LogLevel level : {LogLevel::error, LogLevel::warn, LogLevel::info, LogLevel::debug, LogLevel::trace}) {
    lines.samples.push_back(
        {{{"message_type", std::string(word_of(level))}}, static_cast<double>(facts.log.written(level))});
  }
  out.push_back(std::move(lines));
}

void add_levels(std::vector<FluentFamily>& out, const AgentFacts& facts, Figures& figures) {
  FluentFamily paused{"fluentbit_input_ingestion_paused", "Is the input paused or not?", false, false};
  for (std::size_t i = 0; i < facts.plan.inputs.size(); ++i) {
    bool held = false;
    for (const PipelineSnapshot& worker : facts.workers) held |= i < worker.inputs.size() && worker.inputs[i].paused;
    paused.samples.push_back({{{"name", facts.plan.inputs[i].name}}, held ? 1.0 : 0.0});
  }
  FluentFamily connections{"fluentbit_output_upstream_total_connections", "Connections that stand.", false, false};
  for (const OutputPlan& output : facts.plan.outputs) {
    if (figures.of("logweir_output_connections", output.name).empty()) continue;
    connections.samples.push_back({{{"name", output.name}}, figures.sum("logweir_output_connections", output.name)});
  }
  out.push_back(std::move(paused));
  if (!connections.samples.empty()) out.push_back(std::move(connections));
  const FluentChunks chunks = fluent_chunks(facts, figures);
  const auto memory = static_cast<double>(chunks.memory);
  const auto disk = static_cast<double>(chunks.disk);
  out.push_back(level("storage_chunks", "Chunks of 256 KiB in memory and on disk.", {}, memory + disk));
  out.push_back(level("storage_mem_chunks", "Chunks of 256 KiB in memory.", {}, memory));
  out.push_back(level("storage_fs_chunks", "Chunks of 256 KiB on disk.", {}, disk));
}

std::string quoted_label(std::string_view value) {
  std::string out = "\"";
  for (const char c : metric_text(value)) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string labels_text(const Labels& labels) {
  if (labels.empty()) return {};
  std::string out = "{";
  for (const auto& [name, value] : labels) {
    if (out.size() > 1) out += ',';
    out += name + "=" + quoted_label(value);
  }
  return out + "}";
}

std::string number_text(double value) {
  std::string text = JsonOut().number(value).take();
  return text == "null" ? "NaN" : text;
}

void append_head(std::string& out, const FluentFamily& family) {
  out +=
      fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", family.name, family.help, family.counter ? "counter" : "gauge");
}

}  // namespace

FluentChunks fluent_chunks(const AgentFacts& facts, Figures& figures) {
  std::uint64_t memory = 0;
  std::uint64_t disk = 0;
  for (const PipelineSnapshot& worker : facts.workers) memory += worker.pool_bytes;
  for (const OutputPlan& output : facts.plan.outputs) disk += figures.count("logweir_spool_bytes", output.name);
  const auto chunks = [](std::uint64_t bytes) { return (bytes + Pool::kChunkSize - 1) / Pool::kChunkSize; };
  return {chunks(memory), chunks(disk)};
}

std::vector<FluentFamily> fluent_families(const AgentFacts& facts, Figures& figures) {
  std::vector<FluentFamily> out;
  add_process(out, facts);
  for (const Mapping& mapping : kMappings) {
    const std::string_view kind = kKinds[static_cast<std::size_t>(mapping.of)];
    FluentFamily family{fmt::format("fluentbit_{}_{}_total", kind, mapping.name), std::string(mapping.help), true,
                        mapping.v1};
    for (const std::string& name : names_of(facts.plan, mapping.of)) {
      if (!shown(mapping, figures, name)) continue;
      family.samples.push_back({{{"name", name}}, value_of(mapping, figures, name)});
    }
    if (!family.samples.empty()) out.push_back(std::move(family));
  }
  add_levels(out, facts, figures);
  return out;
}

std::string fluent_prometheus_v1(const std::vector<FluentFamily>& families, Nanos now) {
  std::string out;
  for (const FluentFamily& family : families) {
    if (!family.v1) continue;
    append_head(out, family);
    for (const auto& [labels, value] : family.samples) {
      const Labels shown = family.name == "fluentbit_uptime" ? Labels() : labels;
      out += fmt::format("{}{} {} {}\n", family.name, labels_text(shown), number_text(value), now / kMillisecond);
    }
  }
  return out;
}

std::string fluent_prometheus_v2(const std::vector<FluentFamily>& families) {
  std::string out;
  for (const FluentFamily& family : families) {
    append_head(out, family);
    for (const auto& [labels, value] : family.samples) {
      out += fmt::format("{}{} {}\n", family.name, labels_text(labels), number_text(value));
    }
  }
  return out;
}

std::string fluent_text(const std::vector<FluentFamily>& families, Nanos now) {
  std::string out;
  const std::string time = second_of(now).substr(0, 19) + fmt::format(".{:09}Z", now % kSecond);
  for (const FluentFamily& family : families) {
    for (const auto& [labels, value] : family.samples) {
      out += fmt::format("{} {}{} = {}\n", time, family.name, labels_text(labels), number_text(value));
    }
  }
  return out;
}

std::string fluent_metrics_json(const AgentFacts& facts, Figures& figures) {
  JsonOut out;
  out.open('{');
  for (const Of kind : {Of::input, Of::filter, Of::output}) {
    out.key(kKinds[static_cast<std::size_t>(kind)]).open('{');
    for (const std::string& name : names_of(facts.plan, kind)) {
      out.key(name).open('{');
      for (const Mapping& mapping : kMappings) {
        if (mapping.of != kind || !mapping.v1 || !shown(mapping, figures, name)) continue;
        out.member(mapping.name, value_of(mapping, figures, name));
      }
      out.close('}');
    }
    out.close('}');
  }
  return out.close('}').take() + "\n";
}

}  // namespace logweir
