// SPDX-License-Identifier: Apache-2.0
#include "app/quick.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "support/command_line.h"
#include "support/fake_shelf.h"
#include "support/temp_directory.h"

namespace logweir {
namespace {

using Action = Cli::Action;

// What a command line makes of the fake plugins.
struct Loaded {
  std::ostringstream err;
  std::optional<Plan> plan;
  explicit Loaded(const std::vector<const char*>& words) {
    const Cli given = cli(words);
    REQUIRE_MESSAGE(given.action != Action::failed, given.message);
    plan = load_plan(given.conf, given.quick, fake::shelf(), err);
  }
  [[nodiscard]] bool says(std::string_view words) const { return err.str().find(words) != std::string::npos; }
};

TEST_CASE("a pipeline is made of flags, each -p a key of the plugin in front of it") {
  const Loaded made({"-i", "files",   "-p", "path=a=b.log", "-t", "app",    "-F", "sieve", "-p", "regex=x",
                     "-p", "regex=y", "-o", "peer",         "-p", "port=5", "-m", "a*",    "-f", "3"});
  REQUIRE_MESSAGE(made.plan, made.err.str());
  CHECK(made.err.str().empty());
  CHECK(made.plan->inputs.at(0).tag == "app");
  CHECK(static_cast<const fake::FilesOptions*>(made.plan->inputs.at(0).options.get())->path.at(0) == "a=b.log");
  CHECK(static_cast<const fake::SieveOptions*>(made.plan->filters.at(0).options.get())->regex.size() == 2);
  CHECK(made.plan->filters.at(0).match == "*");
  CHECK(made.plan->outputs.at(0).match == "a*");
  CHECK(made.plan->service.flush.value == 3 * kSecond);
}

TEST_CASE("long names, joined values and variables do as well") {
  const Loaded made({"--input=files", "--prop=path=${HOME}x", "-opeer"});
  REQUIRE_MESSAGE(made.plan, made.err.str());
  CHECK(static_cast<const fake::FilesOptions*>(made.plan->inputs.at(0).options.get())->path.at(0).ends_with("x"));
  CHECK(made.plan->outputs.at(0).match == "*");
}

TEST_CASE("the service's flags set its keys") {
  const Loaded made(
      {"-i", "files", "-p", "path=a", "-o", "peer", "-vv", "-l", "x.log", "-H", "-P", "2021", "-b", "/s", "-d"});
  REQUIRE_MESSAGE(made.plan, made.err.str());
  const ServiceOptions& service = made.plan->service;
  CHECK(service.log_level == "trace");
  CHECK(service.log_file == "x.log");
  CHECK((service.http_server && service.http_explicit && service.http_port == 2021));
  CHECK(service.http_listen == "127.0.0.1");
  CHECK(service.storage_path == "/s");
  CHECK(service.daemon);
  CHECK(Loaded({"-i", "files", "-p", "path=a", "-o", "peer", "-q", "-H", "::1"}).plan->service.http_listen == "::1");
}

TEST_CASE("beside a conf the plugins are added, and the flags count more than its keys") {
  const TempDirectory folder;
  std::ofstream(folder.file("a.conf"))
      << "[SERVICE]\n    Flush 9\n    log_level warn\n[INPUT]\n    Name files\n    Path x\n";
  const std::string conf = folder.file("a.conf");
  const Loaded made({"-c", conf.c_str(), "-f", "1", "-o", "peer"});
  REQUIRE_MESSAGE(made.plan, made.err.str());
  CHECK(made.err.str().empty());
  CHECK(made.plan->service.flush.value == kSecond);
  CHECK(made.plan->service.log_level == "warn");
  CHECK(made.plan->outputs.size() == 1);
}

TEST_CASE("a fault names the flag, and not a value that may be secret") {
  const Loaded made({"-i", "files", "-p", "pth=a", "-o", "peer", "-p", "pasword=geheim"});
  CHECK_FALSE(made.plan);
  CHECK(made.says("-p pth: error: unknown key 'pth'; did you mean 'path'?"));
  CHECK(made.says("-p pasword: error: unknown key 'pasword'; did you mean 'password'?"));
  CHECK_FALSE(made.says("geheim"));
  CHECK(Loaded({"-i", "fils", "-o", "peer"}).says("-i fils: error: unknown input 'fils'; did you mean 'files'?"));
  CHECK(Loaded({"-i", "files", "-p", "path=a"}).says("command line: error: the conf has no output"));
}

TEST_CASE("flags without a meaning here are taken with a warning") {
  const Loaded made({"-i", "files", "-p", "path=a", "-o", "peer", "-s", "24576", "-e", "x.so", "-S", "--supervisor"});
  CHECK(made.plan);
  for (const char* flag : {"-s", "-e", "-S", "--supervisor"}) {
    CHECK(made.says(std::string(flag) + ": warning: this flag of Fluent Bit has no meaning here: "));
  }
}

TEST_CASE("flags that speak of nothing are bad usage") {
  for (const auto& words : {std::vector<const char*>{"-p", "a=b", "-i", "x"},
                            {"-i", "x", "-p", "a"},
                            {"-m", "*"},
                            {"-i", "x", "-p", "=b"},
                            {"-t", "a", "-c", "x"},
                            {"-v"}}) {
    CHECK(cli(words).action == Action::failed);
    CHECK(cli(words).exit_code == 64);
  }
}

TEST_CASE("-D checks a pipeline of flags, and -h behind a plugin is its help") {
  CHECK(cli({"-i", "files", "-o", "peer", "-D"}).action == Action::check);
  CHECK(cli({"check", "-i", "files", "-o", "peer"}).action == Action::check);
  CHECK(cli({"-i", "files", "-h"}).action == Action::help);
  CHECK(cli({"-i", "files", "-h"}).plugin == "files");
  CHECK(cli({"-w", "/tmp", "-i", "x", "-o", "y"}).quick.workdir == "/tmp");
}

TEST_CASE("the usage names every flag") {
  const std::string usage = usage_text();
  for (const Flag& flag : quick_flags()) {
    const std::string name =
        flag.absent && flag.letter != 0 ? std::string("-") + flag.letter : "--" + std::string(flag.name);
    CHECK_MESSAGE(usage.find(name) != std::string::npos, name);
  }
}

TEST_CASE("convert takes a file and where to") {
  CHECK(cli({"convert", "a.conf"}).convert.from == "a.conf");
  CHECK(cli({"convert", "a.conf", "-o", "b.yaml"}).convert.to == "b.yaml");
  CHECK(cli({"convert"}).action == Action::failed);
}

}  // namespace
}  // namespace logweir
