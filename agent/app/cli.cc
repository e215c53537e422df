// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <map>

#include "app/process.h"
#include "app/scratch_state.h"

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
  ConvertRequest convert;
  DlqRequest dlq;
  SpoolRequest spool;
  std::vector<GivenFlag> flags;
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
  cli.convert = words.convert;
  cli.dlq = words.dlq;
  cli.spool = words.spool;
  Result<Quick> quick = read_flags(words.flags);
  if (!quick.ok()) return failed(quick.status().message());
  cli.quick = std::move(quick).value();
  cli.graph = words.graph;
  cli.top = words.top;
  cli.tap = words.tap;
  if (words.help && app.got_subcommand("spool")) {
    cli.action = Cli::Action::help;
    cli.plugin = "spool";
  } else if (words.help && cli.quick.has_plugins()) {
    cli.action = Cli::Action::help;
    cli.plugin = cli.quick.last_plugin;
  } else if (words.help) {
    cli.action = Cli::Action::usage;
  } else if (words.version || app.got_subcommand("version")) {
    cli.action = Cli::Action::version;
  } else if (app.got_subcommand("help")) {
    cli.action = Cli::Action::help;
  } else if (app.got_subcommand("convert")) {
    cli.action = Cli::Action::convert;
  } else if (app.got_subcommand("top")) {
    cli.action = Cli::Action::top;
  } else if (app.got_subcommand("tap")) {
    cli.action = Cli::Action::tap;
  } else if (words.conf.empty() && !cli.quick.has_plugins()) {
    return failed(
        "no conf is named; give one with -c FILE, or a pipeline as in -i tail -p path=/var/log/*.log -o stdout");
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

std::string names_of(const Flag& flag) {
  return flag.letter != 0 ? fmt::format("-{},--{}", flag.letter, flag.name) : fmt::format("--{}", flag.name);
}

// Their order counts, so that they are picked up from the parser and not bound to variables.
std::map<const CLI::Option*, const Flag*> add_quick_flags(CLI::App& app) {
  std::map<const CLI::Option*, const Flag*> flags;
  for (const Flag& flag : quick_flags()) {
    CLI::Option* option =
        flag.takes == Flag::Takes::nothing ? app.add_flag(names_of(flag)) : app.add_option(names_of(flag));
    if (flag.takes == Flag::Takes::text) option->expected(1);
    if (flag.takes == Flag::Takes::maybe) option->expected(0, 1);
    option->take_all()->allow_extra_args(false);
    flags.emplace(option, &flag);
  }
  return flags;
}

std::vector<GivenFlag> given_flags(const CLI::App& app, const std::map<const CLI::Option*, const Flag*>& flags) {
  std::vector<GivenFlag> given;
  std::map<const CLI::Option*, std::size_t> seen;
  for (const CLI::Option* option : app.parse_order()) {
    const auto found = flags.find(option);
    if (found == flags.end()) continue;
    const std::size_t index = seen[option]++;
    const bool has_text = found->second->takes != Flag::Takes::nothing && index < option->results().size();
    given.push_back({found->second, has_text ? option->results()[index] : std::string()});
  }
  return given;
}

// Help is ours to print.
CLI::App* add_command(CLI::App& app, const char* name) {
  CLI::App* command = app.add_subcommand(name, "");
  command->set_help_flag();
  return command;
}

// The commands that look at the pipeline.
void add_looking(CLI::App& app, Words& words) {
  CLI::App* graph = add_command(app, "graph");
  graph->add_option("--format", words.graph.format, "");
  CLI::App* top = add_command(app, "top");
  top->add_option("--url", words.top.url, "");
  top->add_option("--interval", words.top.interval, "");
  top->add_flag("--once", words.top.once, "");
  CLI::App* tap = add_command(app, "tap");
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
  const std::map<const CLI::Option*, const Flag*> flags = add_quick_flags(app);
  add_command(app, "check");
  add_command(app, "version");
  CLI::App* help = add_command(app, "help");
  help->add_option("plugin", words.plugin, "");
  CLI::App* convert = add_command(app, "convert");
  convert->add_option("conf", words.convert.from, "")->required();
  convert->add_option("-o,--output", words.convert.to, "");
  CLI::App* dlq = add_command(app, "dlq");
  dlq->add_option("what", words.dlq.verb, "")->required();
  dlq->add_option("numbers", words.dlq.numbers, "");
  dlq->add_option("--output", words.dlq.output, "");
  dlq->add_flag("--all", words.dlq.all, "");
  CLI::App* spool = add_command(app, "spool");
  spool->add_option("what", words.spool.verb, "");
  spool->add_option("--output", words.spool.output, "");
  spool->add_option("--limit", words.spool.limit, "");
  add_looking(app, words);
  app.parse(argc, argv);
  words.flags = given_flags(app, flags);
  return decide(app, words);
}

int run_plan(const Cli& cli, const Shelf& shelf, int (*run)(const Plan& plan)) {
  std::optional<Plan> plan = load_plan(cli.conf, cli.quick, shelf, std::cerr);
  if (!plan) return kExitConf;
  if (plan->service.daemon) {
    if (plan->service.log_file.empty())
      std::cerr << "logweir: warning: in the background its log goes nowhere; name a log_file\n";
    if (const Status status = go_background(); !status.ok()) {
      std::cerr << "logweir: error: " << status.message() << "\n";
      return 1;
    }
  }
  // A pipeline out of flags is for the moment: it neither remembers positions nor stands in another one's way.
  const ScratchState scratch(*plan, cli.conf.empty());
  return run(*plan);
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
      return run_check(cli.conf, cli.quick, shelf, std::cout, std::cerr);
    case Cli::Action::convert:
      return run_convert(cli.convert, shelf, std::cout, std::cerr);
    case Cli::Action::dlq: {
      const std::optional<Plan> plan = load_plan(cli.conf, cli.quick, shelf, std::cerr, false);
      return plan ? run_dlq(cli.dlq, *plan, std::cout, std::cerr) : kExitConf;
    }
    case Cli::Action::spool: {
      const std::optional<Plan> plan = load_plan(cli.conf, cli.quick, shelf, std::cerr, false);
      return plan ? run_spool(cli.spool, *plan, std::cout, std::cerr) : kExitConf;
    }
    case Cli::Action::run:
      return run_plan(cli, shelf, run);
    case Cli::Action::graph: {
      const std::optional<Plan> plan = load_plan(cli.conf, cli.quick, shelf, std::cerr, false);
      GraphRequest request = cli.graph;
      request.unicode = terminal_has_unicode();
      return plan ? run_graph(request, *plan, std::cout, std::cerr) : kExitConf;
    }
    case Cli::Action::top:
      return run_top(cli.top, std::cout, std::cerr);
    case Cli::Action::tap:
      return run_tap(cli.tap, std::cout, std::cerr);
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
  const Cli cli = parse_cli(argc, argv);
  if (!cli.quick.workdir.empty() && ::chdir(cli.quick.workdir.c_str()) != 0) {
    std::cerr << fmt::format("logweir: error: can't go to the directory '{}' of -w: {}\n", cli.quick.workdir,
                             std::strerror(errno));
    return 1;
  }
  return dispatch(cli, shelf, run);
}

std::optional<Plan> load_plan(const std::string& conf, const Quick& quick, const Shelf& shelf, std::ostream& err,
                              bool warnings) {
  Problems problems;
  for (const Problem& problem : quick.said) problems.add(problem);
  const ConfTree tree = read_conf(conf, quick.conf, problems);
  std::optional<Plan> plan = make_plan(tree, shelf, problems);
  if (warnings || !plan) err << problems.text() << std::flush;
  return plan;
}

int run_check(const std::string& conf, const Quick& quick, const Shelf& shelf, std::ostream& out, std::ostream& err) {
  const std::optional<Plan> plan = load_plan(conf, quick, shelf, err);
  if (!plan) return kExitConf;
  out << print_plan(*plan) << std::flush;
  return 0;
}

}  // namespace logweir
