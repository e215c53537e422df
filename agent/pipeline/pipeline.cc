// SPDX-License-Identifier: Apache-2.0
#include "pipeline/pipeline.h"

#include <algorithm>

namespace logweir {

namespace {

constexpr Nanos kAskPoolAgain = 20 * kMillisecond;
constexpr Nanos kStuckAfter = 60 * kSecond;

std::vector<std::string> lane_ids(const PipelineSpec& spec) {
  std::vector<std::string> ids;
  for (const OutputSpec& output : spec.outputs) ids.push_back(output.id);
  return ids;
}

}  // namespace

Pipeline::Pipeline(Loop& loop, PipelineSpec spec)
    : loop_(loop),
      spec_(std::move(spec)),
      account_(*spec_.budget),
      pool_(account_),
      batches_(pool_),
      space_(pool_),
      ledger_(lane_ids(spec_), spec_.state),
      durables_(loop, spec_.state),
      jobs_(std::make_unique<Jobs::Desk>(*spec_.jobs, loop)),
      burial_(spec_.dead_letters != nullptr ? std::make_unique<Burial>(loop, pool_, *spec_.dead_letters) : nullptr),
      poison_({loop, batches_, ledger_, *spec_.metrics, spec_.log, burial_.get()}),
      tap_(loop, pool_),
      chain_(*spec_.metrics, [this](const Batch& batch, const Record& record, std::string_view filter,
                                    std::string_view what) { poison_.take(batch, record, filter, what); }),
      router_(ledger_, *spec_.metrics, spec_.log, loop_),
      replay_({loop, batches_, ledger_, tags_, [this](std::string_view output) { return lane_of(output); },
               spec_.dead_letters}),
      checkpoint_(loop, [this] { ledger_.checkpoint(); }),
      room_(loop, [this] { pool_has_room(); }),
      pool_timer_(loop.timers(), [this] { pool_has_room(); }) {
  chain_.watch(tap_);
  router_.watch(tap_);
  ledger_.on_moved([this] { checkpoint_.want(); });
  pool_.on_room([this] { room_.want(); });
}

Pipeline::~Pipeline() {
  jobs_.reset();
  inputs_.clear();
  posts_.clear();
  outputs_.clear();
  desks_.clear();
  lanes_.clear();
  spools_.clear();
  space_.let_go();
}

Status Pipeline::open_outputs() {
  for (const FilterSpec& spec : spec_.filters) {
    auto matcher = Matcher::make(spec.match, spec.match_regex);
    if (!matcher.ok()) return Status(matcher.status()).while_doing("opening filter " + spec.name);
    chain_.add({spec.name, std::move(matcher).value(), spec.entry->make(spec.options), spec.log});
  }
  if (Status status = chain_.open(); !status.ok()) return status;
  for (std::size_t i = 0; i < spec_.outputs.size(); ++i) {
    Status status = open_output(spec_.outputs[i], i);
    if (!status.ok()) return std::move(status).while_doing("opening output " + spec_.outputs[i].name);
  }
  return {};
}

std::unique_ptr<Output> Pipeline::make_output(const OutputSpec& spec) {
  if (spec.desk == nullptr) return spec.entry->make(spec.options);
  const bool home = spec_.worker == 0;
  if (home) {
    desks_.push_back(std::make_unique<Desk>(loop_, spec.entry->make(spec.options)));
    *spec.desk = desks_.back().get();
  }
  return std::make_unique<DeskClient>(**spec.desk, home);
}

Status Pipeline::open_output(const OutputSpec& spec, std::size_t index) {
  auto matcher = Matcher::make(spec.match, spec.match_regex);
  if (!matcher.ok()) return matcher.status();
  const Log& log = spec.log;
  const std::uint64_t seed = std::hash<std::string>{}(spec.id) + spec_.worker;
  lanes_.push_back(
      std::make_unique<Lane>(Lane::Setup{loop_, ledger_, *spec_.metrics, pool_, log, spec.name, index, spec.lane,
                                         spec.linger, seed, [this, index] { lane_has_room(index); }, burial_.get(),
                                         open_spool(spec, index), [this, index] { lane_is_hungry(index); }}));
  Lane& lane = *lanes_.back();
  outputs_.push_back(make_output(spec));
  Output& output = *outputs_.back();
  lane.attach(output);
  router_.add(lane, std::move(matcher).value());
  const auto services = [&](OutputHost& host) -> OutputServices& {
    output_services_.push_back(
        std::make_unique<OutputServices>(OutputServices{loop_, host, pool_, log, *spec_.metrics, *jobs_, spec.name}));
    return *output_services_.back();
  };
  if (spec.desk != nullptr && spec_.worker == 0) {
    Desk& desk = *desks_.back();
    if (Status status = desk.open(services(desk)); !status.ok()) return status;
  }
  return output.open(services(lane));
}

// The lane's spool, if it may need one or an earlier run left one; without it a lane that may spill stops reading
// instead.
LaneSpool* Pipeline::open_spool(const OutputSpec& spec, std::size_t index) {
  spool_faults_.emplace_back();
  if (spec_.committer == nullptr) return nullptr;
  const bool wanted = spec.lane.when_full == WhenFull::spill || spec.lane.durable;
  if (!wanted) {
    const auto all = list_spools_in(*spec_.disk, spec_.spool_root);
    if (!all.ok() || places_of(all.value(), spec.spool, spec_.worker, spec_.workers).empty()) return nullptr;
  }
  SpoolOptions options;
  options.max_bytes = spec.lane.spool_bytes.value;
  options.min_free = spec.lane.min_free.value;
  options.fill = spec.lane.durable;
  options.sync = spec_.sync_spools;
  auto spool =
      LaneSpool::open({loop_, ledger_, batches_, tags_, *jobs_, *spec_.metrics, *spec_.disk, *spec_.committer, spec.log,
                       spec.name, index, spec_.spool_root, spec.spool, options, spec_.worker, spec_.workers});
  if (!spool.ok()) {
    spool_faults_.back() = spool.status().message();
    spec.log.error("there is no spool: {}; when the queue is full, reading stops", spool.status().message());
    return nullptr;
  }
  spools_.push_back(std::move(spool).value());
  return spools_.back().get();
}

Status Pipeline::open_inputs() {
  for (const InputSpec& spec : spec_.inputs) {
    Status status = open_input(spec);
    if (!status.ok()) return std::move(status).while_doing("opening input " + spec.name);
  }
  return {};
}

Status Pipeline::open_input(const InputSpec& spec) {
  std::vector<std::unique_ptr<Decoder>> decoders;
  for (const std::string& name : spec.parsers) {
    auto decoder = spec_.decoder(name);
    if (!decoder.ok()) return decoder.status();
    decoders.push_back(std::move(decoder).value());
  }
  const PostServices shared{
      loop_,       batches_,       space_,
      ledger_,     chain_,         poison_,
      router_,     tags_,          durables_,
      spec_.state, *spec_.metrics, *jobs_,
      spec.log,    lanes_.size(),  [this] { pool_timer_.arm(loop_.now() + kAskPoolAgain, kAskPoolAgain); },
      &tap_};
  posts_.push_back(std::make_unique<Post>(shared, spec.name, spec.id, std::move(decoders)));
  inputs_.push_back(spec.entry->make(spec.options, spec.shared));
  input_services_.push_back(std::make_unique<InputServices>(
      InputServices{loop_, *posts_.back(), spec.log, *spec_.metrics, *jobs_, spec.name, spec.tag, spec_.worker,
                    spec_.workers, spec_.machine_id, spec_.finished}));
  posts_.back()->attach(inputs_.back().get());
  return inputs_.back()->open(*input_services_.back());
}

Lane* Pipeline::lane_of(std::string_view output) {
  const auto found =
      std::find_if(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane->name() == output; });
  return found == lanes_.end() ? nullptr : found->get();
}

void Pipeline::replay(const std::vector<Letter>& letters, std::function<void(ReplayResult)> done) {
  replay_.take(letters, std::move(done));
}

void Pipeline::lane_has_room(std::size_t index) {
  for (const auto& post : posts_) post->lane_has_room(index);
}

void Pipeline::lane_is_hungry(std::size_t index) {
  for (const auto& post : posts_) post->backlog().read_more(index);
}

void Pipeline::pool_has_room() {
  if (intake_stopped_) return;
  for (const auto& post : posts_) post->gate().release(post->pool_reason());
}

void Pipeline::stop_intake() {
  if (std::exchange(intake_stopped_, true)) return;
  for (const auto& input : inputs_) input->close();
  for (const auto& post : posts_) post->attach(nullptr);
}

void Pipeline::hurry() {
  for (const auto& lane : lanes_) lane->hurry();
}

bool Pipeline::drained() const {
  return poison_.waiting() == 0 &&
         std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->empty(); });
}

void Pipeline::reopen() {
  for (const auto& output : outputs_) output->reopen();
}

void Pipeline::close() {
  stop_intake();
  for (const auto& output : outputs_) output->close();
  for (const auto& desk : desks_) desk->close();
  if (burial_) burial_->abandon();
  poison_.abandon();
  for (const auto& spool : spools_) spool->close();
  for (const auto& lane : lanes_) lane->abandon();
  chain_.close();
  ledger_.checkpoint();
}

PipelineSnapshot Pipeline::snapshot(std::size_t most_sources) {
  PipelineSnapshot snapshot;
  snapshot.ledger = ledger_.counts;
  for (const auto& lane : lanes_) {
    std::uint64_t left = 0;
    for (const auto& post : posts_) left += post->backlog().bytes(lane->index());
    lane->refresh_gauges(left);
    const std::string& missing = spool_faults_[lane->index()];
    const std::uint64_t waiting = lane->waiting_records();
    snapshot.ledger.waiting += waiting;
    const Breaker& breaker = lane->breaker();
    snapshot.lanes.push_back({lane->name(), waiting, lane->stored_records(), breaker.state(), breaker.failures_in_row(),
                              lane->last_failure(), lane->stuck(kStuckAfter),
                              missing.empty() ? lane->spool_fault() : missing});
  }
  snapshot.ledger.waiting += poison_.waiting();
  for (const auto& post : posts_) {
    post->gate().refresh();
    snapshot.inputs.push_back({post->gate().held()});
  }
  snapshot.waiting = snapshot.ledger.waiting;
  snapshot.source_count = ledger_.source_count();
  if (most_sources > 0) snapshot.sources = ledger_.report(most_sources);
  snapshot.pool_bytes = account_.used();
  snapshot.worst_turn = loop_.take_worst_turn();
  return snapshot;
}

}  // namespace logweir
