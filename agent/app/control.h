// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/admin.h"
#include "app/last_resort.h"
#include "app/letter_desk.h"
#include "app/notify.h"
#include "app/plan.h"
#include "app/recent_log.h"
#include "app/status_pages.h"
#include "app/tap_desk.h"
#include "app/worker.h"
#include "base/disk.h"
#include "base/log.h"
#include "loop/jobs.h"
#include "loop/loop.h"
#include "loop/mailbox.h"
#include "loop/signals.h"
#include "metrics/metrics.h"
#include "pipeline/committer.h"
#include "plugin/parsers.h"
#include "spool/directory.h"
#include "state/state.h"

namespace logweir {

// Resource, on the main thread: the loop without a pipeline. Starts the workers, hears signals, runs discovery (the
// inputs' shared parts), answers on the admin port and stops everything in order.
class Control {
 public:
  // `watchdog`: how long the service manager waits for a sign of life; 0: for ever.
  Control(const Plan& plan, RecentLog& sink, Log log, Notify notify = {}, Nanos watchdog = 0);
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  ~Control();

  Status start();
  int run();  // until the end; the exit code

 private:
  struct Shared {
    std::unique_ptr<InputShared> part;  // may be null
    std::unique_ptr<SharedServices> services;
  };
  Status open_state();
  void open_letters();
  void open_committer();
  void name_orphans(const std::vector<SpoolPlace>& spools);
  Status open_shared();
  void offer_foreign_positions(const InputPlan& input, SharedServices& services);
  Status open_workers();
  Status open_admin();
  PipelineSpec spec_for(unsigned worker);
  [[nodiscard]] Log log_for(const std::string& instance, const std::string& level) const;
  void open_tap();
  void describe_self();

  void on_signal(int number);
  void stop(const char* why, bool bounded);
  void worker_drained();
  void finish();

  // Asks every worker for a snapshot; `done` once all have answered or a moment has passed.
  void look(std::function<void()> done, std::size_t most_sources = 0);
  void ledger_page(std::function<void(std::string)> done);
  void looked();
  void take(unsigned worker, const PipelineSnapshot& snapshot);
  [[nodiscard]] std::vector<std::string> health() const;
  [[nodiscard]] AgentFacts facts() const;
  void report_waiting(const std::vector<PipelineSnapshot>& last);

  const Plan& plan_;
  RecentLog& sink_;
  Log log_;
  std::unique_ptr<LastResort> last_resort_;  // from `finish` on, until all that follows is gone
  SystemClock clock_;
  Loop loop_;
  Heartbeat heartbeat_;
  Metrics metrics_;
  Budget budget_;
  Jobs jobs_;
  RealDisk disk_;
  std::unique_ptr<Committer> committer_;  // may be null; outlives the workers
  std::unique_ptr<State> state_;
  std::unique_ptr<LetterDesk> letters_;  // null: rejected records are dropped
  Parsers parsers_;
  unsigned worker_count_;
  std::uint64_t machine_id_;
  std::vector<Desk*> desks_;  // by output; filled by the home worker
  std::vector<Shared> shared_;
  std::unique_ptr<TapDesk> tap_desk_;  // may be null; outlives the workers
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<PipelineSnapshot> snapshots_;
  Mailbox<std::function<void()>> mail_;
  Timer grace_timer_;
  Timer look_timer_;
  std::vector<std::function<void()>> looking_;  // who waits for the snapshots under way
  unsigned answers_due_ = 0;
  std::uint64_t look_round_ = 0;
  bool discrepancy_said_ = false;
  Nanos started_ = 0;  // mono
  Nanos started_wall_ = 0;
  std::unique_ptr<StatusPages> status_pages_;  // outlives the admin
  std::unique_ptr<Admin> admin_;
  std::unique_ptr<Signals> signals_;
  bool stopping_ = false;
  bool finishing_ = false;
  unsigned draining_ = 0;
  int exit_code_ = 0;
};

}  // namespace logweir
