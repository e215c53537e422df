// SPDX-License-Identifier: Apache-2.0
#include "app/ledger_page.h"

#include <fmt/format.h>

#include "app/json_out.h"

namespace logweir {

namespace {

std::string counts_json(const LedgerCounts& c) {
  return fmt::format(
      R"({{"recovered":{},"read":{},"made":{},"merged":{},"filtered":{},"unrouted":{},"replayed":{},"delivered":{},)"
      R"("dropped":{},"dead_letter":{},"waiting":{},"discrepancy":{}}})",
      c.recovered, c.read, c.made, c.merged, c.filtered, c.unrouted, c.replayed, c.delivered, c.dropped, c.dead_letter,
      c.waiting, c.discrepancy());
}

std::string_view word_of(Breaker::State state) {
  if (state == Breaker::State::closed) return "closed";
  return state == Breaker::State::open ? "open" : "half_open";
}

void append_lanes(std::string& out, const std::vector<LaneSnapshot>& lanes) {
  for (const LaneSnapshot& lane : lanes) {
    out += &lane == &lanes.front() ? R"({"output":)" : R"(,{"output":)";
    append_json(out, lane.output);
    out += fmt::format(R"(,"waiting":{},"breaker":"{}"}})", lane.waiting, word_of(lane.breaker));
  }
}

void append_source(std::string& out, const SourceReport& source, const std::vector<LaneSnapshot>& lanes) {
  out += fmt::format(R"({{"id":"{:016x}","name":)", source.id);
  append_json(out, source.name);
  out += fmt::format(R"(,"kept":{},"read_to":{},"prefix":{{)", source.kept, source.read_to);
  for (std::size_t i = 0; i < source.prefixes.size() && i < lanes.size(); ++i) {
    if (i > 0) out += ',';
    append_json(out, lanes[i].output);
    out += fmt::format(":{}", source.prefixes[i]);
  }
  out += "}}";
}

void append_worker(std::string& out, std::size_t number, const PipelineSnapshot& worker) {
  out += fmt::format(R"({{"worker":{},"counts":{},"lanes":[)", number, counts_json(worker.ledger));
  append_lanes(out, worker.lanes);
  out +=
      fmt::format(R"(],"sources_open":{},"sources_shown":{},"sources":[)", worker.source_count, worker.sources.size());
  for (const SourceReport& source : worker.sources) {
    if (&source != &worker.sources.front()) out += ',';
    append_source(out, source, worker.lanes);
  }
  out += "]}";
}

}  // namespace

std::string ledger_json(const std::vector<PipelineSnapshot>& workers) {
  LedgerCounts total;
  for (const PipelineSnapshot& worker : workers) total += worker.ledger;
  std::string out = R"({"counts":)" + counts_json(total) +
                    fmt::format(R"(,"note":"at most {} sources of each worker, the furthest behind first","workers":[)",
                                kMostSourcesShown);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (i > 0) out += ',';
    append_worker(out, i, workers[i]);
  }
  return out + "]}\n";
}

}  // namespace logweir
