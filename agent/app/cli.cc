// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

namespace logweir {
namespace {

Cli failed(std::string message) {
  Cli cli;
  cli.exit_code = kExitUsage;
  cli.message = std::move(message);
  return cli;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

// What the words on the command line turned into.
struct Words {
  std::string conf;
  std::string plugin;
  DlqRequest dlq;
  SpoolRequest spool;
  GraphRequest graph;
  TopRequest top;
  TapRequest tap;
  bool help = false;
  bool version = false;
  bool dry_run = false;
};

Cli decide(const CLI::App& app, const Words& words) {
  Cli cli;
  cli.conf = words.conf;
  cli.plugin = words.plugin;
  cli.dlq = words.dlq;
  cli.spool = words.spool;
  cli.graph = words.graph;
  cli.top = words.top;
  cli.tap = words.tap;
  if (words.help && app.got_subcommand("spool")) {
    cli.action = Cli::Action::help;
    cli.plugin = "spool";
  } else if (words.help) {
    cli.action = Cli::Action::usage;
  } else if (words.version || app.got_subcommand("version")) {
    cli.action = Cli::Action::version;
  } else if (app.got_subcommand("help")) {
    cli.action = Cli::Action::help;
  } else if (app.got_subcommand("top")) {
    cli.action = Cli::Action::top;
  } else if (app.got_subcommand("tap")) {
    cli.action = Cli::Action::tap;
  } else if (words.conf.empty()) {
    return failed("no conf is named; give one with -c FILE");
  } else if (app.got_subcommand("dlq")) {
    cli.action = Cli::Action::dlq;
  } else if (app.got_subcommand("spool")) {
    cli.action = Cli::Action::spool;
  } else if (app.got_subcommand("graph")) {
    cli.action = Cli::Action::graph;
  } else {
    cli.action = words.dry_run || app.got_subcommand("check") ? Cli::Action::check : Cli::Action::run;
  }
  return cli;
}

// The commands that look at the pipeline.
void add_looking(CLI::App& app, Words& words) {
  CLI::App* graph = app.add_subcommand("graph", "");
  graph->set_help_flag();
  graph->add_option("--format", words.graph.format, "");
  CLI::App* top = app.add_subcommand("top", "");
  top->set_help_flag();
  top->add_option("--url", words.top.url, "");
  top->add_option("--interval", words.top.interval, "");
  top->add_flag("--once", words.top.once, "");
  CLI::App* tap = app.add_subcommand("tap", "");
  tap->set_help_flag();
  tap->add_option("instance", words.tap.instance, "")->required();
  tap->add_option("--url", words.tap.url, "");
  tap->add_option("--match", words.tap.match, "");
  tap->add_option("--limit", words.tap.limit, "");
}

Cli parse(int argc, const char* const* argv) {
  Words words;
  CLI::App app("logweir");
  app.set_help_flag();
  app.fallthrough();
  app.require_subcommand(0, 1);
  app.add_option("-c,--config", words.conf, "");
  app.add_flag("-h,--help", words.help, "");
  app.add_flag("-V,--version", words.version, "");
  app.add_flag("-D,--dry-run", words.dry_run, "");
  app.add_subcommand("check", "")->set_help_flag();
  app.add_subcommand("version", "")->set_help_flag();
  CLI::App* help = app.add_subcommand("help", "");
  help->set_help_flag();
  help->add_option("plugin", words.plugin, "");
  CLI::App* dlq = app.add_subcommand("dlq", "");
  dlq->set_help_flag();
  dlq->add_option("what", words.dlq.verb, "")->required();
  dlq->add_option("numbers", words.dlq.numbers, "");
  dlq->add_option("--output", words.dlq.output, "");
  dlq->add_flag("--all", words.dlq.all, "");
  CLI::App* spool = app.add_subcommand("spool", "");
  spool->set_help_flag();
  spool->add_option("what", words.spool.verb, "");
  spool->add_option("--output", words.spool.output, "");
  spool->add_option("--limit", words.spool.limit, "");
  add_looking(app, words);
  app.parse(argc, argv);
  return decide(app, words);
}

int dispatch(const Cli& cli, const Shelf& shelf, int (*run)(const Plan& plan)) {
  switch (cli.action) {
    case Cli::Action::usage:
      std::cout << usage_text();
      return 0;
    case Cli::Action::version:
      std::cout << "logweir " LOGWEIR_VERSION "\n";
      return 0;
    case Cli::Action::help:
      return run_help(cli.plugin, shelf, std::cout, std::cerr);
    case Cli::Action::check:
      return run_check(cli.conf, shelf, std::cout, std::cerr);
    case Cli::Action::dlq: {
      const std::optional<Plan> plan = load_plan(cli.conf, shelf, std::cerr, false);
      return plan ? run_dlq(cli.dlq, *plan, std::cout, std::cerr) : kExitConf;
    }
    case Cli::Action::spool: {
      const std::optional<Plan> plan = load_plan(cli.conf, shelf, std::cerr, false);
      return plan ? run_spool(cli.spool, *plan, std::cout, std::cerr) : kExitConf;
    }
    case Cli::Action::graph: {
      const std::optional<Plan> plan = load_plan(cli.conf, shelf, std::cerr, false);
      GraphRequest request = cli.graph;
      request.unicode = terminal_has_unicode();
      return plan ? run_graph(request, *plan, std::cout, std::cerr) : kExitConf;
    }
    case Cli::Action::top:
      return run_top(cli.top, std::cout, std::cerr);
    case Cli::Action::tap:
      return run_tap(cli.tap, std::cout, std::cerr);
    case Cli::Action::run: {
      const std::optional<Plan> plan = load_plan(cli.conf, shelf, std::cerr);
      return plan ? run(*plan) : kExitConf;
    }
    case Cli::Action::failed:
      break;
  }
  std::cerr << "logweir: error: " << cli.message << " (see logweir --help)\n";
  return cli.exit_code;
}

}  // namespace

Cli parse_cli(int argc, const char* const* argv) {
  try {
    return parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return failed(one_line(error.what()));
  } catch (const std::exception& error) {
    return failed(one_line(error.what()));
  }
}

int run_cli(int argc, const char* const* argv, const Shelf& shelf, int (*run)(const Plan& plan)) {
  return dispatch(parse_cli(argc, argv), shelf, run);
}

std::optional<Plan> load_plan(const std::string& conf, const Shelf& shelf, std::ostream& err, bool warnings) {
  Problems problems;
  const ConfTree tree = read_conf(conf, problems);
  std::optional<Plan> plan = make_plan(tree, shelf, problems);
  if (warnings || !plan) err << problems.text() << std::flush;
  return plan;
}

int run_check(const std::string& conf, const Shelf& shelf, std::ostream& out, std::ostream& err) {
  const std::optional<Plan> plan = load_plan(conf, shelf, err);
  if (!plan) return kExitConf;
  out << print_plan(*plan) << std::flush;
  return 0;
}

std::string usage_text() {
  return "logweir: collects logs from files and sockets, shapes them, and delivers them\n"
         "\n"
         "  logweir -c FILE         run\n"
         "  logweir check -c FILE   check a conf and show what would run; opens nothing, exits with 0 or 78\n"
         "  logweir help            the plugins and the keys of `service`\n"
         "  logweir help PLUGIN     every key of a plugin, with its default\n"
         "  logweir dlq list|show|replay|drop -c FILE [NUMBER ...]\n"
         "                          the dead letters: records that a peer rejected or a plugin failed on; replay "
         "sends\n"
         "                          them again (to another output with --output NAME), drop wants numbers or --all\n"
         "  logweir spool list|cat|verify -c FILE\n"
         "                          the spools: records that wait on disk for a peer that is away; see logweir help "
         "spool\n"
         "  logweir graph -c FILE [--format text|dot|svg]\n"
         "                          the pipeline as a picture: which input's records meet which filters and outputs\n"
         "  logweir top [--url http://127.0.0.1:2020] [--interval 1] [--once]\n"
         "                          a live table of a running agent: rates, delay, queues, unread bytes; q ends it\n"
         "  logweir tap INSTANCE [--match TEXT] [--limit 20] [--url URL]\n"
         "                          some of the records that pass an instance now, as JSON lines\n"
         "  logweir version         the version\n"
         "\n"
         "  -c, --config FILE       the conf: YAML (.yaml, .yml) or Fluent Bit's classic format\n"
         "  -D, --dry-run           the same as check\n"
         "  -h, --help              this text\n"
         "  -V, --version           the version\n"
         "\n"
         "A first conf, first.yaml:\n"
         "\n"
         "  pipeline:\n"
         "    inputs:\n"
         "      - name: tail\n"
         "        path: /var/log/*.log\n"
         "        read_from_head: on\n"
         "    outputs:\n"
         "      - name: stdout\n"
         "        match: '*'\n"
         "        format: json_lines\n"
         "\n"
         "Examples:\n"
         "\n"
         "  logweir check -c first.yaml        is it right, and what does it mean?\n"
         "  logweir -c first.yaml              run it; Ctrl-C ends it in order\n"
         "  logweir help tail                  what else can tail do?\n"
         "  curl http://127.0.0.1:2020/health  while it runs: is all well?\n"
         "\n"
         "Signals: TERM and INT stop in order (a second one at once), USR1 opens output files anew.\n"
         "Exit codes: 0 fine, 1 could not start, 64 bad usage, 78 bad conf.\n";
}

}  // namespace logweir
