// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/limits.h"
#include "app/plan.h"
#include "app/privileges_user.h"

namespace logweir {
namespace {

using S = ServiceOptions;

constexpr std::array kOptions = {
    option<&S::flush>("flush", "",
                      "How long outputs that gather (http and the stores) wait for more records; streams send at once. "
                      "Default: each output's own.",
                      kLive),
    option<&S::grace>("grace", "5s", "How long a stop may take to deliver what is read; off: as long as it takes.",
                      kLive, "off"),
    option<&S::log_level>("log_level", "info", "How much the agent says of itself.", kLive,
                          "off|error|warn|warning|info|debug|trace"),
    option<&S::log_file>("log_file", "", "Where it says so; empty: stderr."),
    option<&S::daemon>("daemon", "off", "Run in the background; without a log_file the log then goes nowhere."),
    option<&S::http_server>("http_server", "on", "Serve /metrics and /health."),
    option<&S::http_listen>("http_listen", "127.0.0.1", "Address to serve them on."),
    option<&S::http_port>("http_port", "2020",
                          "Port to serve them on. If the default one is taken the agent warns and runs on; one that is "
                          "given must be free.",
                          0, "0..65535"),
    option<&S::fluentbit_metrics>("fluentbit_metrics", "off",
                                  "/api/v1/metrics/prometheus and /api/v2/metrics/prometheus give Fluent Bit's names, "
                                  "for dashboards that ask for them; /metrics is as ever."),
    option<&S::tap>("tap", "local",
                    "Let `logweir tap` and the status page show some of the records as they pass; local: where "
                    "http_listen is an address of this machine alone.",
                    0, "off|on|local"),
    option<&S::tap_redact>("tap_redact", "", "Keys whose values they show as ***.", kRepeats | kCommaList),
    option<&S::memory_limit>("memory_limit", "",
                             "Most memory for records on their way, a size. Default: a quarter of what the machine or "
                             "the control group has, at most 256M."),
    option<&S::state_dir>(
        "state_dir", "",
        "Directory where positions are kept. Default: beside the `db` of the first input that has one, "
        "else /var/lib/logweir for root and ~/.local/state/logweir for others."),
    option<&S::storage_path>("storage.path", "",
                             "Directory of the spools, where outputs keep what waits on disk; see `logweir spool`. "
                             "Default: `spool` in the directory of positions."),
    option<&S::dead_letters>("dead_letters", "on",
                             "Keep records that a peer rejects or a plugin fails on in state_dir/dead_letters, for "
                             "`logweir dlq`; off: they are dropped. Either way they are counted."),
    option<&S::dead_letter_bytes>("dead_letter_bytes", "64M", "Most bytes of them; beyond it the oldest go."),
    option<&S::dead_letter_records>("dead_letter_records", "100000", "Most of them.", 0, "1..100000000"),
    option<&S::dead_letter_age>("dead_letter_age", "off", "Older ones go when another comes.", 0, "off"),
    option<&S::commit>("commit", "group",
                       "How records on disk are synced: group together with all that came during the last sync, each "
                       "by itself, once per interval, or none: then a power cut may lose some.",
                       0, "each|group|interval|none"),
    option<&S::commit_max_delay>("commit.max_delay", "0", "Hold a group open for so long, for more company."),
    option<&S::commit_max_bytes>("commit.max_bytes", "4M", "... or until so much has come."),
    option<&S::commit_interval>("commit.interval", "1s", "From one sync to the next, with `commit: interval`."),
    option<&S::workers>("workers", "1", "Threads with a pipeline each: a number, or auto for one per CPU it may use."),
    option<&S::parsers_file>("parsers_file", "",
                             "Files with parsers, looked for beside the conf and in the working "
                             "directory.",
                             kRepeats | kCommaList),
    option<&S::scheduler_base>("scheduler.base", "", "First wait before a retry, for outputs without `backoff_base`."),
    option<&S::scheduler_cap>("scheduler.cap", "", "Longest wait before a retry, for outputs without `backoff_cap`."),
    option<&S::user>("user", "",
                     "User to become after a start as root, a name or number, with its groups. Its own are then the "
                     "files that the agent makes. Empty: stay."),
    option<&S::group>("group", "", "Group to become. Default: the user's."),
    option<&S::keep_capabilities>("keep_capabilities", "dac_read_search,net_bind_service",
                                  "Capabilities to keep when becoming `user`, where they are there: the first reads "
                                  "every log, the second listens on ports below 1024.",
                                  kCommaList),
    option<&S::no_new_privs>("no_new_privs", "on", "Give up for ever what set-user-id programs could give."),
    option<&S::landlock>("landlock", "off",
                         "Let the kernel refuse all files but those of the conf's inputs and outputs, the state, and "
                         "the system's own in /etc, /usr, /run, /proc, /sys and /dev for reading. Links that lead "
                         "elsewhere, and paths that a later conf adds, are refused too."),
    option<&S::landlock_read>("landlock_read", "", "More paths to read below, such as where links of logs lead.",
                              kCommaList),
    option<&S::landlock_write>("landlock_write", "", "More paths to write below.", kCommaList),
    option<&S::seccomp>("seccomp", "off",
                        "Let the kernel refuse system calls that the agent never makes, such as to run a program, "
                        "mount, trace or load a module."),
};

constexpr std::array<std::string_view, 24> kElsewhere = {"flush.*",
                                                         "http_monitor",
                                                         "plugins_file",
                                                         "streams_file",
                                                         "health_check",
                                                         "hc_errors_count",
                                                         "hc_retry_failure_count",
                                                         "hc_period",
                                                         "hot_reload",
                                                         "hot_reload.*",
                                                         "coro_stack_size",
                                                         "json.escape_unicode",
                                                         "json.convert_nan_to_null",
                                                         "multiline_buffer_limit",
                                                         "sp.convert_from_str_to_num",
                                                         "dns.mode",
                                                         "dns.resolver",
                                                         "dns.prefer_ipv4",
                                                         "dns.prefer_ipv6",
                                                         "enable_chunk_trace",
                                                         "security.fips_mode",
                                                         "windows.maxstdio",
                                                         "telemetry",
                                                         "storage.*"};

Place place_in(const Node& node, std::string_view key) {
  const Node* value = node.find(key);
  return value != nullptr ? value->place : node.place;
}

void check_privileges(const S& service, const Node& node, Problems& problems) {
  for (const std::string& name : service.keep_capabilities) {
    if (capability_of(name)) continue;
    problems.error(place_in(node, "keep_capabilities"),
                   fmt::format("'keep_capabilities' can't have '{}'; it may have: {}", name.substr(0, 80),
                               keepable_capabilities()));
  }
  for (const auto& [on, key] : {std::pair(service.landlock, "landlock"), std::pair(service.seccomp, "seccomp")}) {
    if (!on || service.no_new_privs) continue;
    problems.error(place_in(node, key), fmt::format("'{}' needs 'no_new_privs', which is off", key));
  }
}

void check(const void* options, const Node& node, Problems& problems) {
  const auto& service = *static_cast<const S*>(options);
  const auto place_of = [&](std::string_view key) { return place_in(node, key); };
  check_privileges(service, node, problems);
  if (!service.memory_limit.empty() && parse_size(service.memory_limit).value_or(0) < (1 << 20)) {
    problems.error(place_of("memory_limit"),
                   fmt::format("'memory_limit' can't be '{}'; it must be a size of at least 1M, "
                               "such as 64M",
                               service.memory_limit.substr(0, 80)));
  }
  if (!parse_workers(service.workers)) {
    problems.error(place_of("workers"),
                   fmt::format("'workers' can't be '{}'; it must be a number from 1 to {}, or auto",
                               service.workers.substr(0, 80), kMostWorkers));
  }
  if (service.scheduler_base.value >= 0 && service.scheduler_cap.value >= 0 &&
      service.scheduler_cap.value < service.scheduler_base.value) {
    problems.error(place_of("scheduler.cap"), "'scheduler.cap' is shorter than 'scheduler.base'");
  }
}

}  // namespace

const Schema& service_schema() {
  static constexpr Schema kSchema{kOptions, kElsewhere, check};
  return kSchema;
}

}  // namespace logweir
