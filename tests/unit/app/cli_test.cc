// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "support/command_line.h"
#include "support/fake_shelf.h"
#include "support/temp_directory.h"

namespace logweir {
namespace {

using Action = Cli::Action;

struct Said {
  std::ostringstream out, err;
  int code = -1;
};
Said check(const std::string& text) {
  const TempDirectory folder;
  std::ofstream(folder.file("a.yaml")) << text;
  Said said;
  said.code = run_check(folder.file("a.yaml"), {}, fake::shelf(), said.out, said.err);
  return said;
}
Said help(const std::string& plugin) {
  Said said;
  said.code = run_help(plugin, fake::shelf(), said.out, said.err);
  return said;
}
bool has(const std::ostringstream& stream, std::string_view words) {
  return stream.str().find(words) != std::string::npos;
}

constexpr const char* kGood = "pipeline:\n  inputs: [{name: files, path: /a}]\n  outputs: [{name: peer, match: '*'}]\n";

TEST_CASE("a conf is run, or checked when asked") {
  CHECK(cli({"-c", "x"}).action == Action::run);
  CHECK(cli({"--config=x"}).conf == "x");
  for (const auto& words :
       {std::vector{"check", "-c", "x"}, {"-c", "x", "check"}, {"-c", "x", "-D"}, {"--dry-run", "-c", "x"}}) {
    CHECK(cli(words).action == Action::check);
    CHECK(cli(words).conf == "x");
  }
}

TEST_CASE("help and version need no conf") {
  CHECK(cli({"help"}).action == Action::help);
  CHECK(cli({"help", "tail"}).plugin == "tail");
  CHECK(cli({"version"}).action == Action::version);
  CHECK(cli({"--version"}).action == Action::version);
  CHECK(cli({"--help"}).action == Action::usage);
  CHECK(cli({"check", "-h"}).action == Action::usage);
}

TEST_CASE("bad usage is one line and code 64") {
  for (const auto& words : {std::vector<const char*>{},
                            {"-c"},
                            {"check"},
                            {"--colour"},
                            {"run"},
                            {"check", "help"},
                            {"-c", "x", "y"},
                            {"help", "a", "b"}}) {
    const Cli said = cli(words);
    CHECK(said.action == Action::failed);
    CHECK(said.exit_code == 64);
    CHECK_FALSE(said.message.empty());
    CHECK(said.message.find('\n') == std::string::npos);
  }
}

TEST_CASE("check shows the plan of a good conf") {
  const Said said = check(kGood);
  CHECK(said.code == 0);
  CHECK(said.err.str().empty());
  CHECK(has(said.out, "- name: files"));
  CHECK(has(said.out, "retry_limit: no_limits"));
}

TEST_CASE("check tells each problem on a line of stderr and exits with 78") {
  const Said said = check("servce: {}\npipeline:\n  inputs: [{name: fils}]\n");
  CHECK(said.code == 78);
  CHECK(said.out.str().empty());
  CHECK(has(said.err, "a.yaml:1:1: error: unknown section 'servce'"));
  CHECK(has(said.err, "a.yaml:3:19: error: unknown input 'fils'"));
}

TEST_CASE("warnings do not fail a check") {
  const Said said = check(std::string(kGood) + "plugins: []\n");
  CHECK(said.code == 0);
  CHECK(has(said.err, "warning"));
}

TEST_CASE("a missing conf is told and is code 78") {
  std::ostringstream out, err;
  CHECK(run_check("/nonexistent/x.yaml", {}, fake::shelf(), out, err) == 78);
  CHECK(err.str() ==
        "/nonexistent/x.yaml: error: can't read /nonexistent/x.yaml: No such file or directory; name the conf with -c "
        "FILE\n");
}

TEST_CASE("help lists the plugins and the service's keys") {
  const Said said = help("");
  CHECK(said.code == 0);
  CHECK(has(said.out, "  files        Reads.\n"));
  CHECK(has(said.out, "memory_limit"));
}

TEST_CASE("help on a plugin shows its keys and those of its kind") {
  const Said said = help("Peer");
  CHECK(has(said.out, "Input peer: Listens."));
  CHECK(has(said.out, "Output peer: Sends."));
  CHECK(has(said.out, "host  (text)  default: 127.0.0.1"));
  CHECK(has(said.out, "when_full  (choice, live)  default: auto"));
  CHECK(help("service").code == 0);
  CHECK(help("parser").code == 0);
}

TEST_CASE("help on an unknown plugin names the nearest and is bad usage") {
  CHECK(help("fils").code == 64);
  CHECK(help("fils").err.str() == "logweir: error: there is no plugin 'fils'; did you mean 'files'?\n");
  CHECK(has(help("zzzzzz").err, "`logweir help` lists them"));
}

TEST_CASE("the usage teaches by examples") {
  for (const char* words : {"logweir check -c FILE", "inputs:", "logweir help tail", "78 bad conf"}) {
    CHECK_MESSAGE(usage_text().find(words) != std::string::npos, words);
  }
}

TEST_CASE("the conf in the usage has the right shape") {
  const std::string usage = usage_text();
  const std::size_t begin = usage.find("  pipeline:");
  Problems problems;
  const ConfTree tree = read_conf_text(usage.substr(begin, usage.find("Examples:") - begin), "a.yaml", problems);
  CHECK(problems.text().empty());
  CHECK(tree.inputs.size() + tree.outputs.size() == 2);
}

}  // namespace
}  // namespace logweir
