// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codec/parser_options.h"
#include "config/tree.h"
#include "pipeline/committer.h"
#include "pipeline/lane_options.h"
#include "plugin/entry.h"

namespace logweir {

enum class TapMode : int { off, on, local };  // local: on where the admin port is this machine's alone

// The `service:` section.
struct ServiceOptions {
  Duration flush{-1};  // default `linger` of outputs that gather; -1: each plugin's own
  Duration grace{5 * kSecond};
  std::string log_level = "info";  // off, error, warn, info, debug, trace
  std::string log_file;
  bool daemon = false;
  bool http_server = true;
  std::string http_listen = "127.0.0.1";
  std::int64_t http_port = 2020;
  bool http_explicit = false;  // not a key: http_server, http_listen or http_port was given by the user
  bool fluentbit_metrics = false;
  TapMode tap = TapMode::local;
  std::vector<std::string> tap_redact;
  std::string memory_limit;   // a size; empty: the default
  std::string state_dir;      // empty: see README
  std::string storage_path;   // of the spools; empty: `spool` of the state directory
  std::string workers = "1";  // N or auto
  std::vector<std::string> parsers_file;
  Duration scheduler_base{-1};  // -1: the lane's own default
  Duration scheduler_cap{-1};
  bool dead_letters = true;
  Bytes dead_letter_bytes{64 << 20};
  std::int64_t dead_letter_records = 100'000;
  Duration dead_letter_age{-1};
  CommitMode commit = CommitMode::group;
  Duration commit_max_delay{0};
  Bytes commit_max_bytes{4 << 20};
  Duration commit_interval{kSecond};
  std::string user, group;  // names or numbers; empty: who started us
  std::vector<std::string> keep_capabilities{"dac_read_search", "net_bind_service"};
  bool no_new_privs = true;
  bool landlock = false;
  std::vector<std::string> landlock_read, landlock_write;
  bool seccomp = false;
};
const Schema& service_schema();

struct InputPlan {
  const InputEntry* entry = nullptr;
  std::string name;           // alias, else "<plugin>.<n>", n counting that plugin's inputs from 0
  std::string id;             // stable: the alias, else a hash of the plugin's name and identity options
  std::string tag;            // default: the name
  std::string parser;         // names of parsers tried in order, comma list; empty: none
  std::string mem_buf_limit;  // read and accepted; bytes, 0 none
  std::string db;             // Fluent Bit's offset file; gives a default state_dir (see README)
  std::string log_level;      // of its own messages; empty: the service's
  OptionsPtr options;
  Place place;
};

struct FilterPlan {
  const FilterEntry* entry = nullptr;
  std::string name, id;
  std::string match, match_regex;
  std::string log_level;
  OptionsPtr options;
  Place place;
};

struct OutputPlan {
  const OutputEntry* entry = nullptr;
  std::string name, id;  // id includes a hash of the destination
  std::string match, match_regex;
  std::string log_level;
  LaneOptions lane;
  OptionsPtr options;
  Place place;
};

// Value. A checked conf: everything the workers need, nothing opened yet.
struct Plan {
  ServiceOptions service;
  std::vector<ParserOptions> parsers;
  std::vector<InputPlan> inputs;
  std::vector<FilterPlan> filters;
  std::vector<OutputPlan> outputs;
};

// Checks the whole tree against the shelf's schemas. Nothing when a problem of level error was found.
std::optional<Plan> make_plan(const ConfTree& tree, const Shelf& shelf, Problems& problems);
// For `logweir check`: each instance with its effective options, secrets hidden.
std::string print_plan(const Plan& plan);

}  // namespace logweir
