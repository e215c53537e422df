// SPDX-License-Identifier: Apache-2.0
#include "app/dlq.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <sstream>

#include "app/cli.h"
#include "state/dead_letters.h"
#include "support/temp_directory.h"

using namespace logweir;

namespace {

struct Ground {
  Ground() {
    plan.service.state_dir = dir.path();
    plan.outputs.emplace_back();
    plan.outputs.back().name = "good";
  }
  void fill() {
    ::mkdir(letters_directory(dir.path()).c_str(), 0700);
    auto file = LetterFile::open(letters_path(letters_directory(dir.path())), true);
    REQUIRE(file.ok());
    Letter text;
    text.source = 0xAB;
    text.position = 16;
    text.output = "good";
    text.reason = "http_400";
    text.answer = "400 bad\x1b[2J";
    text.tag = "t\n";
    text.text_key = "log";
    text.text = true;
    text.body = "a \"line\"";
    Letter json = text;
    json.text = false;
    json.output = "gone";
    json.body = R"({"a":1})";
    std::uint64_t evicted = 0;
    REQUIRE(file.value()->add(std::vector{text, json}, {}, 0, evicted).ok());
  }
  int run(DlqRequest request) {
    out.str("");
    err.str("");
    return run_dlq(request, plan, out, err);
  }
  [[nodiscard]] bool said(std::string_view text) const { return out.str().find(text) != std::string::npos; }
  TempDirectory dir;
  Plan plan;
  std::ostringstream out, err;
};

}  // namespace

TEST_CASE("without a store there are no dead letters, and none of a number") {
  Ground ground;
  CHECK(ground.run({.verb = "list"}) == 0);
  CHECK(ground.out.str() == "no dead letters\n");
  CHECK(ground.run({.verb = "show", .numbers = {1}}) == 1);
}

TEST_CASE("list shows a line each, harmless on a terminal, and show is JSON") {
  Ground ground;
  ground.fill();
  CHECK(ground.run({.verb = "list"}) == 0);
  CHECK(ground.said("00000000000000ab-10"));
  CHECK(ground.said("t?"));
  CHECK(ground.said("2 dead letters"));
  CHECK(ground.run({.verb = "show", .numbers = {1}}) == 0);
  CHECK(ground.said(R"("answer":"400 bad\u001b[2J")"));
  CHECK(ground.said(R"("record":{"log":"a \"line\""}})"));
  CHECK(ground.run({.verb = "show"}) == 0);
  CHECK(ground.said(R"("record":{"a":1}})"));
}

TEST_CASE("replay marks what is asked for and wants an output that is there") {
  Ground ground;
  ground.fill();
  CHECK(ground.run({.verb = "replay"}) == 1);
  CHECK(ground.err.str().find("'gone', which is no output of this conf") != std::string::npos);
  CHECK(ground.run({.verb = "replay", .output = "bad"}) == kExitUsage);
  CHECK(ground.run({.verb = "replay", .numbers = {1}}) == 0);
  CHECK(ground.said("1 dead letters are to be replayed"));
  CHECK(ground.run({.verb = "replay", .output = "good"}) == 0);
  CHECK(ground.said("2 dead letters"));
  CHECK(ground.run({.verb = "list"}) == 0);
  CHECK(ground.said("(to be replayed)"));
}

TEST_CASE("drop wants numbers or --all") {
  Ground ground;
  ground.fill();
  CHECK(ground.run({.verb = "drop"}) == kExitUsage);
  CHECK(ground.run({.verb = "drop", .numbers = {3}}) == 1);
  CHECK(ground.run({.verb = "drop", .numbers = {1}, .all = true}) == kExitUsage);
  CHECK(ground.run({.verb = "drop", .numbers = {1}}) == 0);
  CHECK(ground.run({.verb = "drop", .all = true}) == 0);
  CHECK(ground.said("1 dead letters are dropped"));
  CHECK(ground.run({.verb = "list"}) == 0);
  CHECK(ground.out.str() == "no dead letters\n");
}

TEST_CASE("the command line of dlq is read") {
  const char* words[] = {"logweir", "dlq", "replay", "3", "4", "--output", "x", "-c", "f.yaml"};
  const Cli cli = parse_cli(9, words);
  CHECK(cli.action == Cli::Action::dlq);
  CHECK(cli.conf == "f.yaml");
  CHECK(cli.dlq.verb == "replay");
  CHECK(cli.dlq.numbers == std::vector<std::uint64_t>{3, 4});
  CHECK(cli.dlq.output == "x");
  const char* none[] = {"logweir", "dlq", "-c", "f.yaml"};
  CHECK(parse_cli(4, none).exit_code == kExitUsage);
  const char* letters[] = {"logweir", "dlq", "show", "abc", "-c", "f.yaml"};
  CHECK(parse_cli(6, letters).exit_code == kExitUsage);
}
