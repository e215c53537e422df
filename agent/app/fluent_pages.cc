// SPDX-License-Identifier: Apache-2.0
#include "app/fluent_pages.h"

#include <fmt/format.h>

#include "app/fluent_metrics.h"
#include "app/json_out.h"

namespace logweir {

namespace {

std::string counted(Nanos n, std::string_view unit) { return fmt::format("{} {}{}", n, unit, n == 1 ? "" : "s"); }

template <typename Entry>
void append_names(JsonOut& out, std::string_view key, std::span<const Entry* const> entries) {
  out.key(key).open('[');
  for (const Entry* entry : entries) out.text(entry->name);
  out.close(']');
}

}  // namespace

std::string uptime_json(Nanos uptime) {
  const Nanos seconds = uptime / kSecond;
  const std::string words = fmt::format("logweir has been running: {}, {}, {} and {}", counted(seconds / 86400, "day"),
                                        counted(seconds / 3600 % 24, "hour"), counted(seconds / 60 % 60, "minute"),
                                        counted(seconds % 60, "second"));
  return JsonOut().open('{').member("uptime_sec", seconds).member("uptime_hr", words).close('}').take() + "\n";
}

std::string plugins_json(const Shelf& shelf) {
  JsonOut out;
  out.open('{');
  append_names(out, "inputs", shelf.inputs);
  append_names(out, "filters", shelf.filters);
  append_names(out, "outputs", shelf.outputs);
  return out.close('}').take() + "\n";
}

std::string storage_json(const AgentFacts& facts, Figures& figures) {
  const FluentChunks chunks = fluent_chunks(facts, figures);
  JsonOut out;
  out.open('{').key("storage_layer").open('{').key("chunks").open('{');
  out.member("total_chunks", chunks.memory + chunks.disk).member("mem_chunks", chunks.memory);
  out.member("fs_chunks", chunks.disk).member("fs_chunks_up", chunks.disk).member("fs_chunks_down", 0);
  out.close('}').close('}').key("input_chunks").open('{');
  for (std::size_t i = 0; i < facts.plan.inputs.size(); ++i) {
    bool paused = false;
    for (const PipelineSnapshot& worker : facts.workers) paused |= i < worker.inputs.size() && worker.inputs[i].paused;
    // All inputs share one budget: what it holds is not told apart by input.
    out.key(facts.plan.inputs[i].name).open('{').key("status").open('{').member("overlimit", paused);
    out.member("mem_size", std::string("0b")).member("mem_limit", fmt::format("{}b", facts.memory_limit)).close('}');
    out.key("chunks").open('{').member("total", 0).member("up", 0).member("down", 0).member("busy", 0);
    out.member("busy_size", std::string("0b")).close('}').close('}');
  }
  return out.close('}').close('}').take() + "\n";
}

}  // namespace logweir
