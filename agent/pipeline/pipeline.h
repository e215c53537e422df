// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "loop/jobs.h"
#include "loop/loop.h"
#include "memory/pool.h"
#include "metrics/metrics.h"
#include "pipeline/chain.h"
#include "pipeline/desk.h"
#include "pipeline/lane.h"
#include "pipeline/ledger.h"
#include "pipeline/post.h"
#include "pipeline/replay.h"
#include "pipeline/router.h"
#include "pipeline/tap.h"
#include "plugin/entry.h"
#include "plugin/filter.h"
#include "plugin/input.h"
#include "plugin/output.h"

namespace logweir {

// Values. One worker's pipeline as ordered; built by app from a checked conf. Pointers outlive the pipeline.
struct InputSpec {
  const InputEntry* entry = nullptr;
  std::string name, id, tag;
  std::vector<std::string> parsers;  // tried in order
  OptionsPtr options;
  InputShared* shared = nullptr;  // may be null
  Log log = {};
};
struct FilterSpec {
  const FilterEntry* entry = nullptr;
  std::string name;
  std::string match, match_regex;
  OptionsPtr options;
  Log log = {};
};
struct OutputSpec {
  const OutputEntry* entry = nullptr;
  std::string name, id;
  std::string match, match_regex;
  LaneOptions lane;
  Nanos linger = 0;
  OptionsPtr options;
  Desk** desk = nullptr;  // of a single output with several workers: the home worker fills it, the others read it
  Log log = {};
  SpoolIdentity spool = {};
};
struct PipelineSpec {
  std::vector<InputSpec> inputs;
  std::vector<FilterSpec> filters;
  std::vector<OutputSpec> outputs;
  std::function<Result<std::unique_ptr<Decoder>>(const std::string&)> decoder;  // by parser name
  unsigned worker = 0;
  unsigned workers = 1;
  std::uint64_t machine_id = 0;
  Budget* budget = nullptr;
  Metrics* metrics = nullptr;
  State* state = nullptr;               // may be null
  DeadLetters* dead_letters = nullptr;  // may be null: rejected records are dropped
  Jobs* jobs = nullptr;
  Disk* disk = nullptr;
  Committer* committer = nullptr;  // may be null: there are no spools
  std::string spool_root;          // where they are
  bool sync_spools = true;
  Log log;
  std::function<void()> finished;  // any thread: an input has done all it was asked to do
};

// Value. A lane as it is between two turns.
struct LaneSnapshot {
  std::string output;
  std::uint64_t waiting = 0;
  std::uint64_t stored = 0;  // of them on disk
  Breaker::State breaker = Breaker::State::closed;
  std::uint64_t failures_in_row = 0;
  std::string last_failure;
  bool stuck = false;  // delivered nothing for a minute though records wait
  std::string spool_fault = {};
};

struct InputSnapshot {
  bool paused = false;  // it may not read: an output or the memory is full
};

// Value. What a worker says of itself between two turns.
struct PipelineSnapshot {
  LedgerCounts ledger;
  std::uint64_t pool_bytes = 0;
  Nanos worst_turn = 0;
  std::uint64_t waiting = 0;
  std::vector<LaneSnapshot> lanes;
  std::vector<InputSnapshot> inputs;
  std::vector<SourceReport> sources;  // those furthest behind; empty unless asked for
  std::uint64_t source_count = 0;
};

// Resource, one per worker, on its thread: inputs, filters and lanes over one pool, and the ledger that ties them.
class Pipeline {
 public:
  Pipeline(Loop& loop, PipelineSpec spec);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();

  // Outputs, filters, then inputs. After a failure only `close` may be called.
  Status open_outputs();
  Status open_inputs();

  void stop_intake();  // closes the inputs; what was read still flows
  void hurry();        // lanes stop lingering and try at once
  [[nodiscard]] bool drained() const;
  void reopen();  // SIGUSR1
  // Gives letters to the lanes that shall have them; see Replay::take.
  void replay(const std::vector<Letter>& letters, std::function<void(ReplayResult)> done);
  void close();  // gives up what is still waiting, saves positions
  [[nodiscard]] Tap& tap() { return tap_; }
  PipelineSnapshot snapshot(std::size_t most_sources = 0);

 private:
  Status open_output(const OutputSpec& spec, std::size_t index);
  Status open_input(const InputSpec& spec);
  LaneSpool* open_spool(const OutputSpec& spec, std::size_t index);
  std::unique_ptr<Output> make_output(const OutputSpec& spec);
  Lane* lane_of(std::string_view output);
  void lane_has_room(std::size_t index);
  void lane_is_hungry(std::size_t index);
  void pool_has_room();

  Loop& loop_;
  PipelineSpec spec_;
  Account account_;
  Pool pool_;
  BatchPool batches_;
  ReadSpace space_;
  TagTable tags_;
  Ledger ledger_;
  Durables durables_;
  std::unique_ptr<Jobs::Desk> jobs_;  // ends first: its jobs look at what inputs and outputs own
  std::unique_ptr<Burial> burial_;    // may be null
  PoisonBin poison_;
  Tap tap_;
  Chain chain_;
  std::vector<std::unique_ptr<LaneSpool>> spools_;
  std::vector<std::string> spool_faults_;  // by lane: why there is none
  std::vector<std::unique_ptr<Lane>> lanes_;
  Router router_;
  Replay replay_;
  std::vector<std::unique_ptr<Desk>> desks_;  // of single outputs whose home is here
  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<std::unique_ptr<OutputServices>> output_services_;
  std::vector<std::unique_ptr<Post>> posts_;
  std::vector<std::unique_ptr<InputServices>> input_services_;
  std::vector<std::unique_ptr<Input>> inputs_;
  AfterTurn checkpoint_;
  AfterTurn room_;
  Timer pool_timer_;  // another worker may hold all the memory: ask again
  bool intake_stopped_ = false;
};

}  // namespace logweir
