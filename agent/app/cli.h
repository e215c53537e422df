// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "app/convert_command.h"
#include "app/dlq.h"
#include "app/graph_command.h"
#include "app/plan.h"
#include "app/quick.h"
#include "app/spool_command.h"
#include "app/tap_command.h"
#include "app/top.h"
#include "plugin/entry.h"

namespace logweir {

// Exit codes, as sysexits.h has them.
constexpr int kExitUsage = 64;
constexpr int kExitConf = 78;

// Value. A command line as understood.
struct Cli {
  enum class Action { run, check, help, convert, dlq, spool, graph, top, tap, usage, version, failed };
  Action action = Action::failed;
  std::string conf;    // of run, check, dlq and spool; empty where flags say all
  Quick quick;         // of the same
  std::string plugin;  // of help; may be empty
  ConvertRequest convert;
  DlqRequest dlq;       // of dlq
  SpoolRequest spool;   // of spool
  GraphRequest graph;   // of graph
  TopRequest top;       // of top
  TapRequest tap;       // of tap
  int exit_code = 0;    // of failed
  std::string message;  // of failed: one line
};
Cli parse_cli(int argc, const char* const* argv);

// The whole front door: does what the command line says and returns the exit code. `run` gets a checked conf.
int run_cli(int argc, const char* const* argv, const Shelf& shelf, int (*run)(const Plan& plan));

// Reads and checks a conf, with what flags add to it; all problems go to `err`. Nothing when it has errors.
std::optional<Plan> load_plan(const std::string& conf, const Quick& quick, const Shelf& shelf, std::ostream& err,
                              bool warnings = true);

// `logweir check`: problems on `err`, the plan on `out`.
int run_check(const std::string& conf, const Quick& quick, const Shelf& shelf, std::ostream& out, std::ostream& err);
// `logweir help [PLUGIN]`: also `service`, `parser` and `spool` have a page. An unknown word is bad usage.
int run_help(const std::string& plugin, const Shelf& shelf, std::ostream& out, std::ostream& err);
// `logweir --help`.
std::string usage_text();

}  // namespace logweir
