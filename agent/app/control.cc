// SPDX-License-Identifier: Apache-2.0
#include "app/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <sstream>

#include "app/ledger_page.h"
#include "app/limits.h"
#include "app/paths.h"
#include "app/process.h"
#include "app/spools.h"
#include "metrics/process.h"
#include "state/fluent_bit.h"

namespace logweir {

namespace {

constexpr Nanos kLookPatience = 500 * kMillisecond;

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) {
    const auto first = word.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    out.push_back(word.substr(first, word.find_last_not_of(" \t") - first + 1));
  }
  return out;
}

std::string breaker_reason(const LaneSnapshot& lane) {
  return fmt::format("output {}: its breaker is {} after {} failures in a row{}{}", lane.output,
                     lane.breaker == Breaker::State::open ? "open" : "half open", lane.failures_in_row,
                     lane.last_failure.empty() ? "" : ", the last: ", lane.last_failure);
}

}  // namespace

Control::Control(const Plan& plan, RecentLog& sink, Log log, Notify notify, Nanos watchdog)
    : plan_(plan),
      sink_(sink),
      log_(std::move(log)),
      loop_(clock_),
      heartbeat_(loop_, std::move(notify), watchdog),
      budget_(memory_limit_of(plan.service)),
      jobs_(2),
      parsers_(plan.parsers),
      worker_count_(worker_count_of(plan.service)),
      machine_id_(machine_id()),
      desks_(plan.outputs.size(), nullptr),
      snapshots_(worker_count_),
      mail_(loop_, [](std::function<void()>&& work) { work(); }),
      grace_timer_(loop_.timers(), [this] { finish(); }),
      look_timer_(loop_.timers(),
                  [this] {
                    answers_due_ = 0;
                    ++look_round_;
                    looked();
                  }),
      started_(clock_.mono()),
      started_wall_(clock_.wall()) {}

Control::~Control() {
  admin_.reset();
  for (const Shared& shared : shared_) {
    if (shared.part) shared.part->close();
  }
  while (!workers_.empty()) workers_.pop_back();  // the home of single outputs is the first and goes last
  shared_.clear();
}

Status Control::start() {
  // Heard from the first moment on; acted upon once the loop runs.
  signals_ = std::make_unique<Signals>(loop_, std::initializer_list<int>{SIGTERM, SIGINT, SIGUSR1, SIGHUP},
                                       [this](int number) { on_signal(number); });
  describe_self();
  if (Status status = open_state(); !status.ok()) return status;
  open_letters();
  if (Status status = open_admin(); !status.ok()) return status;
  if (Status status = open_shared(); !status.ok()) return status;
  open_committer();
  if (Status status = open_workers(); !status.ok()) return status;
  if (state_) state_->forget_opened();
  log_.info("logweir {} runs: {} inputs, {} filters, {} outputs, {} worker{}, memory limit {} MiB", LOGWEIR_VERSION,
            plan_.inputs.size(), plan_.filters.size(), plan_.outputs.size(), worker_count_,
            worker_count_ == 1 ? "" : "s", budget_.limit() >> 20);
  heartbeat_.ready(fmt::format("{} inputs, {} outputs", plan_.inputs.size(), plan_.outputs.size()));
  return {};
}

Status Control::open_state() {
  if (!needs_state(plan_)) return {};
  State::Options options;
  options.directory = state_directory(plan_);
  auto state = State::open(options, log_.named("state"));
  if (!state.ok()) return state.status();
  state_ = std::move(state).value();
  return {};
}

void Control::open_letters() {
  const ServiceOptions& service = plan_.service;
  if (!service.dead_letters) return;
  const LetterLimits limits{service.dead_letter_bytes.value, static_cast<std::uint64_t>(service.dead_letter_records),
                            service.dead_letter_age.value};
  letters_ = std::make_unique<LetterDesk>(loop_, metrics_, letters_directory(state_directory(plan_)), limits,
                                          log_.named("dead letters"));
}

// Only where there is something to spool, or an earlier run has left something.
void Control::open_committer() {
  const auto spools = [](const OutputPlan& output) {
    return output.lane.durable || output.lane.when_full == WhenFull::spill;
  };
  const auto left = list_spools_in(disk_, spools_directory(plan_));
  const bool any = std::any_of(plan_.outputs.begin(), plan_.outputs.end(), spools);
  if (!any && (!left.ok() || left.value().empty())) return;
  const ServiceOptions& service = plan_.service;
  committer_ = std::make_unique<Committer>(
      clock_, Committer::Options{service.commit, service.commit_max_delay.value, service.commit_max_bytes.value,
                                 service.commit_interval.value});
  if (left.ok()) name_orphans(left.value());
}

// Spools of outputs that the conf does not have any more, or that go elsewhere now.
void Control::name_orphans(const std::vector<SpoolPlace>& spools) {
  for (const SpoolPlace& place : spools) {
    const bool known = std::any_of(plan_.outputs.begin(), plan_.outputs.end(), [&](const OutputPlan& output) {
      return spool_name(spool_identity(output)) == place.name;
    });
    if (!known) {
      log_.warn(
          "the spool {} belongs to no output of this conf, or to another destination of one; its records are kept "
          "and not sent (logweir spool list shows them)",
          place.directory);
    }
  }
}

Status Control::open_shared() {
  for (const InputPlan& input : plan_.inputs) {
    shared_.emplace_back();
    if (input.entry->make_shared == nullptr) continue;
    Shared& shared = shared_.back();
    shared.part = input.entry->make_shared(input.options);
    std::vector<Fact> facts;
    if (state_) {
      for (const SavedFact& fact : state_->facts()) {
        if (fact.instance == input.id) facts.push_back({fact.key, fact.value});
      }
    }
    shared.services = std::make_unique<SharedServices>(SharedServices{loop_, log_for(input.name, input.log_level),
                                                                      metrics_, input.name, input.tag, worker_count_,
                                                                      machine_id_, std::move(facts), own_files(plan_)});
    if (state_) offer_foreign_positions(input, *shared.services);
    Status status = shared.part->open(*shared.services);
    if (!status.ok()) return std::move(status).while_doing("opening input " + input.name);
  }
  return {};
}

// What Fluent Bit left in the input's `db`, should it ask.
void Control::offer_foreign_positions(const InputPlan& input, SharedServices& services) {
  services.keep_fact = [this, &input](std::string_view key, std::string_view value) {
    state_->put_fact(input.id, key, value);
  };
  if (input.db.empty()) return;
  services.foreign_positions = [this, &input, log = services.log] {
    std::vector<ForeignPosition> positions;
    auto read = read_fluent_bit_offsets(input.db, state_directory(plan_));
    if (!read.ok() && read.status().code() != Code::not_found) {
      log.error("positions can't be taken over from {}: {}; its files are read as if it were not there", input.db,
                read.status().message());
    }
    if (!read.ok()) return positions;
    for (FluentBitOffset& row : read.value()) {
      positions.push_back({std::move(row.path), row.inode, row.offset, row.created});
    }
    return positions;
  };
}

Log Control::log_for(const std::string& instance, const std::string& level) const {
  Log log = log_.named(instance);
  if (const auto own = log_level_of(level)) log.set_level(*own);
  return log;
}

PipelineSpec Control::spec_for(unsigned worker) {
  PipelineSpec spec;
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    const InputPlan& in = plan_.inputs[i];
    spec.inputs.push_back({in.entry, in.name, in.id, in.tag, words(in.parser), in.options, shared_[i].part.get(),
                           log_for(in.name, in.log_level)});
  }
  for (const FilterPlan& filter : plan_.filters) {
    spec.filters.push_back({filter.entry, filter.name, filter.match, filter.match_regex, filter.options,
                            log_for(filter.name, filter.log_level)});
  }
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
    const OutputPlan& out = plan_.outputs[i];
    const Nanos linger = out.lane.linger.value >= 0 ? out.lane.linger.value : out.entry->linger;
    Desk** desk = out.entry->single && worker_count_ > 1 ? &desks_[i] : nullptr;
    spec.outputs.push_back({out.entry, out.name, out.id, out.match, out.match_regex, out.lane, linger, out.options,
                            desk, log_for(out.name, out.log_level), spool_identity(out)});
  }
  spec.decoder = [this](const std::string& name) { return parsers_.make(name); };
  spec.worker = worker;
  spec.workers = worker_count_;
  spec.machine_id = machine_id_;
  spec.budget = &budget_;
  spec.metrics = &metrics_;
  spec.state = state_.get();
  spec.dead_letters = letters_ ? &letters_->store() : nullptr;
  spec.jobs = &jobs_;
  spec.disk = &disk_;
  spec.committer = committer_.get();
  spec.spool_root = spools_directory(plan_);
  spec.sync_spools = plan_.service.commit != CommitMode::none;
  spec.log = log_;
  spec.finished = [this] { mail_.send([this] { stop("all inputs are read to their end", false); }); };
  return spec;
}

Status Control::open_workers() {
  for (unsigned i = 0; i < worker_count_; ++i) {
    workers_.push_back(std::make_unique<Worker>(spec_for(i)));
    if (Status status = workers_.back()->start(); !status.ok()) return status;
  }
  for (const auto& worker : workers_) {
    if (Status status = worker->open_inputs(); !status.ok()) return status;
  }
  if (!letters_) return {};
  letters_->start([this](std::vector<Letter> letters, std::function<void(ReplayResult)> done) {
    workers_.front()->call(
        [letters = std::move(letters), done = std::move(done)](Pipeline& pipeline) { pipeline.replay(letters, done); });
  });
  return {};
}

Status Control::open_admin() {
  const ServiceOptions& service = plan_.service;
  if (!service.http_server) return {};
  admin_ = std::make_unique<Admin>(
      loop_, metrics_, [this](std::function<void()> done) { look(std::move(done)); }, [this] { return health(); },
      [this](std::function<void(std::string)> done) { ledger_page(std::move(done)); });
  status_pages_ = std::make_unique<StatusPages>(metrics_, [this] { return facts(); });
  status_pages_->add_to(*admin_, service.fluentbit_metrics);
  if (tap_is_on(service)) open_tap();
  Status status = admin_->open(service.http_listen, static_cast<int>(service.http_port));
  if (status.ok()) {
    log_.info("metrics at http://{}:{}/metrics", service.http_listen, service.http_port);
    return {};
  }
  admin_.reset();
  if (service.http_explicit) return std::move(status).while_doing("opening the admin port");
  log_.warn("no metrics and no /health: {}; running on without (set service.http_port to another port)",
            status.message());
  return {};
}

void Control::open_tap() {
  tap_desk_ =
      std::make_unique<TapDesk>(TapDesk::Setup{loop_, [this]() -> const Plan& { return plan_; },
                                               [this](const std::function<void(Pipeline&)>& work) {
                                                 for (const auto& worker : workers_) worker->call(work);
                                               },
                                               [this](std::function<void()> work) { mail_.send(std::move(work)); }});
  admin_->add({"/api/v1/tap",
               "records that pass an instance (?instance=NAME&limit=20&match=TEXT), as JSON lines",
               {},
               false,
               [this](const HttpRequest& request, const HttpReply& reply) { tap_desk_->take(request, reply); }});
}

void Control::describe_self() {
  metrics_.ask("logweir_ledger_discrepancy", "Records that the ledger can't account for; always 0", {}, [this] {
    std::int64_t off = 0;
    for (const PipelineSnapshot& snapshot : snapshots_) off += snapshot.ledger.discrepancy();
    return static_cast<double>(off);
  });
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
    metrics_.ask("logweir_output_breaker_state",
                 "The circuit breaker: 0 closed, 1 half open, 2 open (the worst worker's)",
                 {{"output", plan_.outputs[i].name}}, [this, i] {
                   int worst = 0;
                   for (const PipelineSnapshot& snapshot : snapshots_) {
                     if (i < snapshot.lanes.size())
                       worst = std::max(worst, static_cast<int>(snapshot.lanes[i].breaker));
                   }
                   return static_cast<double>(worst);
                 });
  }
  metrics_.ask("logweir_pool_bytes", "Bytes of memory that hold log data", {}, [this] {
    std::uint64_t bytes = 0;
    for (const PipelineSnapshot& snapshot : snapshots_) bytes += snapshot.pool_bytes;
    return static_cast<double>(bytes);
  });
  metrics_.ask("logweir_pool_limit_bytes", "The limit of logweir_pool_bytes (service.memory_limit)", {},
               [this] { return static_cast<double>(budget_.limit()); });
  metrics_.ask("logweir_loop_lag_seconds", "Longest turn of any worker's loop since the last scrape", {}, [this] {
    Nanos worst = 0;
    for (const PipelineSnapshot& snapshot : snapshots_) worst = std::max(worst, snapshot.worst_turn);
    return static_cast<double>(worst) / 1e9;
  });
  metrics_.ask_total("logweir_log_lines_dropped_total", "Own log lines lost since stderr or log_file was too slow", {},
                     [this] { return static_cast<double>(sink_.dropped()); });
  metrics_.ask("logweir_state_failing", "1 while positions can't be saved", {},
               [this] { return state_ && !state_->fault().empty() ? 1.0 : 0.0; });
  add_process_metrics(metrics_, LOGWEIR_VERSION);
}

int Control::run() {
  loop_.run();
  return exit_code_;
}

void Control::on_signal(int number) {
  if (number == SIGUSR1) {
    for (const auto& worker : workers_) {
      worker->call([](Pipeline& pipeline) { pipeline.reopen(); });
    }
  } else if (number == SIGHUP) {
    log_.warn("SIGHUP: a running agent does not take a changed conf yet; restart it");
  } else if (stopping_) {
    log_.warn("second signal: stopping at once");
    exit_code_ = 1;
    finish();
  } else {
    stop(number == SIGTERM ? "SIGTERM" : "SIGINT", true);
  }
}

void Control::stop(const char* why, bool bounded) {
  if (std::exchange(stopping_, true)) return;
  if (letters_) letters_->stop();
  heartbeat_.stopping("delivering what waits");
  log_.info("stopping ({}): no more is read, what waits is delivered", why);
  if (bounded && plan_.service.grace.value >= 0) {
    grace_timer_.arm(loop_.now() + plan_.service.grace.value, kMillisecond);
  }
  draining_ = worker_count_;
  for (const auto& worker : workers_) {
    worker->drain([this] { mail_.send([this] { worker_drained(); }); });
  }
}

void Control::worker_drained() {
  if (--draining_ == 0) finish();
}

void Control::finish() {
  if (std::exchange(finishing_, true)) return;
  grace_timer_.cancel();
  if (tap_desk_) tap_desk_->close();
  admin_.reset();
  const Nanos grace = plan_.service.grace.value;
  last_resort_ = std::make_unique<LastResort>(grace < 0 ? grace : std::max(grace, kSecond), 1, [this] {
    log_.error("a disk or file system does not answer: the stop ends without it; what it was to keep is read again");
  });
  for (const Shared& shared : shared_) {
    if (shared.part) shared.part->close();
  }
  std::vector<PipelineSnapshot> last;
  while (!workers_.empty()) {
    last.push_back(workers_.back()->close());
    workers_.pop_back();
  }
  report_waiting(last);
  letters_.reset();  // what the workers gave it last is on disk then
  shared_.clear();
  signals_.reset();
  state_.reset();
  loop_.stop();
}

void Control::report_waiting(const std::vector<PipelineSnapshot>& last) {
  LedgerCounts total;
  std::map<std::string, std::uint64_t> waiting;  // not on disk
  std::map<std::string, std::uint64_t> stored;
  for (const PipelineSnapshot& snapshot : last) {
    total += snapshot.ledger;
    for (const LaneSnapshot& lane : snapshot.lanes) {
      stored[lane.output] += lane.stored;
      waiting[lane.output] += lane.waiting - std::min(lane.waiting, lane.stored);
    }
  }
  for (const auto& [output, count] : stored) {
    if (count > 0) log_.info("output {}: {} records wait in its spool for the next start", output, count);
  }
  for (const auto& [output, count] : waiting) {
    if (count == 0) continue;
    log_.warn(
        "output {}: {} records were not delivered within service.grace; those from files are read again at the "
        "next start, those from sockets are lost",
        output, count);
  }
  if (total.discrepancy() != 0) log_.error("bug: the ledger is off by {} records", total.discrepancy());
  log_.info("stopped: {} read, {} filtered, {} delivered, {} dropped, {} dead letters, {} waiting", total.read,
            total.filtered, total.delivered, total.dropped, total.dead_letter, total.waiting);
}

void Control::look(std::function<void()> done, std::size_t most_sources) {
  looking_.push_back(std::move(done));
  if (answers_due_ > 0) return;
  const std::uint64_t round = ++look_round_;
  answers_due_ = static_cast<unsigned>(workers_.size());
  look_timer_.arm(loop_.now() + kLookPatience, kMillisecond);
  for (unsigned i = 0; i < workers_.size(); ++i) {
    workers_[i]->call([this, i, round, most_sources](Pipeline& pipeline) {
      mail_.send([this, i, round, snapshot = pipeline.snapshot(most_sources)] {
        if (round == look_round_) take(i, snapshot);
      });
    });
  }
}

void Control::take(unsigned worker, const PipelineSnapshot& snapshot) {
  snapshots_[worker] = snapshot;
  if (answers_due_ == 0 || --answers_due_ > 0) return;
  look_timer_.cancel();
  looked();
}

void Control::looked() {
  std::int64_t off = 0;
  for (const PipelineSnapshot& snapshot : snapshots_) off += snapshot.ledger.discrepancy();
  if (off != 0 && !std::exchange(discrepancy_said_, true)) {
    log_.error("bug: the ledger is off by {} records; /api/v1/ledger shows where", off);
  }
  const auto told = std::exchange(looking_, {});
  for (const auto& done : told) done();
}

void Control::ledger_page(std::function<void(std::string)> done) {
  if (answers_due_ > 0) {  // a look under way, without sources
    looking_.push_back([this, done = std::move(done)]() mutable { ledger_page(std::move(done)); });
    return;
  }
  look(
      [this, done = std::move(done)] {
        done(ledger_json(snapshots_));
        for (PipelineSnapshot& snapshot : snapshots_) snapshot.sources = {};
      },
      kMostSourcesShown);
}

AgentFacts Control::facts() const {
  return {plan_,           snapshots_, sink_, host_name(), started_wall_, clock_.wall(), clock_.mono() - started_,
          budget_.limit(), health()};
}

std::vector<std::string> Control::health() const {
  std::vector<std::string> reasons;
  if (state_) {
    if (std::string fault = state_->fault(); !fault.empty()) reasons.push_back("positions are not saved: " + fault);
  }
  std::int64_t off = 0;
  std::set<std::string> opened;  // one line per output, not one per worker
  for (const PipelineSnapshot& snapshot : snapshots_) {
    off += snapshot.ledger.discrepancy();
    for (const LaneSnapshot& lane : snapshot.lanes) {
      if (!lane.spool_fault.empty()) reasons.push_back("output " + lane.output + ": its spool: " + lane.spool_fault);
      if (lane.stuck) reasons.push_back("output " + lane.output + " has delivered nothing for a minute");
      if (lane.breaker != Breaker::State::closed && opened.insert(lane.output).second) {
        reasons.push_back(breaker_reason(lane));
      }
    }
  }
  if (off != 0) reasons.push_back("the ledger is off by " + std::to_string(off) + " records");
  return reasons;
}

}  // namespace logweir
