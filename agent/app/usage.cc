// SPDX-License-Identifier: Apache-2.0
// `logweir --help`.
#include <fmt/format.h>

#include "app/cli.h"

namespace logweir {
namespace {

constexpr std::string_view kCommands = R"(logweir: collects logs from files and sockets, shapes them, and delivers them

Commands

  logweir -c FILE              run
  logweir -i NAME -o NAME ...  run a pipeline out of flags, without a conf
  logweir check -c FILE        check a conf and show what would run; opens nothing, exits with 0 or 78
  logweir convert OLD.conf [-o NEW.yaml]
                               write a classic conf as YAML, comments and all
  logweir help                 the plugins and the keys of `service`
  logweir help PLUGIN          every key of a plugin, with its default
  logweir dlq list|show|replay|drop -c FILE [NUMBER ...]
                               the dead letters: records that a peer rejected or a plugin failed on; replay sends
                               them again (to another output with --output NAME), drop wants numbers or --all
  logweir spool list|cat|verify -c FILE
                               the spools: records that wait on disk for a peer that is away; see logweir help spool
  logweir graph -c FILE [--format text|dot|svg]
                               the pipeline as a picture: which input's records meet which filters and outputs
  logweir top [--url http://127.0.0.1:2020] [--interval 1] [--once]
                               a live table of a running agent: rates, delay, queues, unread bytes; q ends it
  logweir tap INSTANCE [--match TEXT] [--limit 20] [--url URL]
                               some of the records that pass an instance now, as JSON lines
  logweir version              the version

)";

constexpr std::string_view kFirst = R"(  -D, --dry-run                the same as check
  -h, --help                   this text; behind -i, -F or -o: the keys of that plugin
  -V, --version                the version
)";

constexpr std::string_view kConf = R"(
A pipeline out of flags keeps no positions once it ends, unless an input has -p db=FILE. With -c FILE as well, its
plugins are added to the conf's, and the other flags count more than the conf's keys.

A first conf, first.yaml:

  pipeline:
    inputs:
      - name: tail
        path: /var/log/*.log
        read_from_head: on
    outputs:
      - name: stdout
        match: '*'
        format: json_lines

)";

constexpr std::string_view kExamples = R"(Examples:

  logweir -i tail -p path=x.log -o stdout -m '*'
                                     print what is added to x.log
  logweir check -c first.yaml        is it right, and what does it mean?
  logweir -c first.yaml              run it; Ctrl-C ends it in order
  logweir help tail                  what else can tail do?
  logweir convert fluent-bit.conf    the same as YAML
  curl http://127.0.0.1:2020/health  while it runs: is all well?

Signals: TERM and INT stop in order (a second one at once), USR1 opens output files anew.
Exit codes: 0 fine, 1 could not start, 64 bad usage, 78 bad conf.
)";

std::string line(std::string_view flag, std::string_view help) { return fmt::format("  {:<29}{}\n", flag, help); }

std::string spelt(const Flag& flag) {
  const std::string text = flag.takes == Flag::Takes::maybe ? fmt::format("[={}]", flag.what)
                           : flag.what.empty()              ? std::string()
                                                            : fmt::format(" {}", flag.what);
  const std::string letter = flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : std::string();
  return fmt::format("{}--{}{}", letter, flag.name, text);
}

}  // namespace

std::string usage_text() {
  std::string out(kCommands);
  out += "Flags\n\n";
  out += line("-c, --config FILE", "the conf: YAML (.yaml, .yml) or Fluent Bit's classic format");
  std::string absent;
  for (const Flag& flag : quick_flags()) {
    if (!flag.absent) {
      out += line(spelt(flag), flag.help);
    } else {
      absent += fmt::format("{}{}{}", absent.empty() ? "" : ", ", flag.letter != 0 ? "-" : "--",
                            flag.letter != 0 ? std::string(1, flag.letter) : std::string(flag.name));
    }
  }
  out += kFirst;
  out += line("", fmt::format("({} of Fluent Bit are taken, with a warning)", absent));
  return out + std::string(kConf) + std::string(kExamples);
}

}  // namespace logweir
