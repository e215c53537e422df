// SPDX-License-Identifier: Apache-2.0
#include "app/plan.h"

#include <doctest/doctest.h>

#include "support/fake_shelf.h"

namespace logweir {
namespace {

// A conf that is checked: YAML, or classic when it begins with '['.
struct Made {
  Problems problems;
  std::optional<Plan> plan;
  explicit Made(const std::string& text) {
    const ConfTree tree = read_conf_text(text, text.starts_with("[") ? "a.conf" : "a.yaml", problems);
    plan = make_plan(tree, fake::shelf(), problems);
  }
  [[nodiscard]] bool says(std::string_view words) const { return problems.text().find(words) != std::string::npos; }
};

// The plan of a conf with these parts, in which the others are as plain as can be.
struct Parts {
  std::string service = "{}";
  std::string input = "{name: files, path: /a}";
  std::string filters = "[]";
  std::string output = "{name: peer, match: '*'}";
  std::string more = "";
};
Made made(const Parts& parts) {
  return Made("service: " + parts.service + "\npipeline:\n  inputs: [" + parts.input +
              "]\n  filters: " + parts.filters + "\n  outputs: [" + parts.output + "]\n" + parts.more);
}
const LaneOptions& lane_of(const Made& made) { return made.plan.value().outputs.at(0).lane; }

TEST_CASE("a small conf becomes a plan with names, tags and ids") {
  const Made conf = made({});
  CHECK(conf.problems.text().empty());
  const InputPlan& input = conf.plan.value().inputs.at(0);
  CHECK(input.name == "files.0");
  CHECK(input.tag == "files.0");
  CHECK(input.id.starts_with("files-"));
  CHECK(input.id.size() == 6 + 16);
  CHECK(static_cast<const fake::FilesOptions*>(input.options.get())->path == std::vector<std::string>{"/a"});
  CHECK(conf.plan->outputs.at(0).match == "*");
}

TEST_CASE("instances are counted by plugin, and an alias counts too") {
  const Made conf = made(
      {.input = "{name: files, path: /a}, {name: peer}, {Name: FILES, path: /b, alias: x}, {name: files, path: /c}"});
  const auto& inputs = conf.plan.value().inputs;
  CHECK(inputs[0].name == "files.0");
  CHECK(inputs[1].name == "peer.0");
  CHECK(inputs[2].name == "x");
  CHECK(inputs[2].id == "x");
  CHECK(inputs[3].name == "files.2");
}

TEST_CASE("ids follow identity options and nothing else") {
  const auto id = [](const std::string& input) { return made({.input = input}).plan.value().inputs.at(0).id; };
  CHECK(id("{name: files, path: /a}") == id("{path: /a, read_from_head: on, tag: t, name: files}"));
  CHECK(id("{name: files, path: /a}") != id("{name: files, path: /b}"));
}

TEST_CASE("two equal instances get two ids") {
  const Made conf = made({.input = "{name: files, path: /a}, {name: files, path: /a}"});
  CHECK(conf.plan.value().inputs[1].id == conf.plan->inputs[0].id + "#2");
}

TEST_CASE("an output's id follows its destination, also with an alias") {
  const auto id = [](const std::string& output) { return made({.output = output}).plan.value().outputs.at(0).id; };
  CHECK(id("{name: peer, alias: x, port: 1}").starts_with("x@"));
  CHECK(id("{name: peer, alias: x, port: 1}") != id("{name: peer, alias: x, port: 2}"));
  CHECK(id("{name: peer, port: 1}") != id("{name: peer, port: 2}"));
  CHECK(id("{name: peer, port: 1}") == id("{name: peer, port: 1, match: a, retry_limit: 3}"));
}

TEST_CASE("an alias may hold anything but must be the only one of its kind") {
  const Made conf = Made(
      "[INPUT]\n Name files\n Path /a\n Alias in \"quoted\" \\ back\n[OUTPUT]\n Name peer\n Match *\n Alias "
      "same\n[OUTPUT]\n Name peer\n Match *\n Alias same\n");
  CHECK(conf.says("a.conf:12:8: error: two outputs are called 'same'; give each an alias of its own"));
  CHECK(made({.input = "{name: files, path: /a, alias: 'in \"quoted\" \\ back'}"}).plan.value().inputs[0].name ==
        "in \"quoted\" \\ back");
  CHECK(made({.input = "{name: files, path: /a, alias: x}", .output = "{name: peer, match: x, alias: x}"}).plan);
}

TEST_CASE("an unknown plugin is told with the nearest and all known ones") {
  CHECK(made({.input = "{name: fils, path: /a}"})
            .says("a.yaml:3:19: error: unknown input 'fils'; did you mean 'files'? the known ones are files, peer"));
  CHECK(made({.output = "{name: elastic}"}).says("unknown output 'elastic'; the known ones are peer, store"));
  CHECK(made({.input = "{path: /a}"}).says("a.yaml:3:12: error: the input does not say which plugin it is"));
}

TEST_CASE("an unknown key is told with the nearest of the plugin's and the common ones") {
  CHECK(Made("[INPUT]\n    Name files\n    Pth  /a\n[OUTPUT]\n Name peer\n Match *\n")
            .says("a.conf:3:5: error: unknown key 'Pth'; did you mean 'path'?"));
  CHECK(made({.input = "{name: files, path: /a, tagg: x}"}).says("unknown key 'tagg'; did you mean 'tag'?"));
  CHECK(made({.output = "{name: peer, match: x, retry_limt: 1}"}).says("did you mean 'retry_limit'?"));
  CHECK(made({.output = "{name: peer, match: x, lingr: 1}"}).says("did you mean 'linger'?"));
}

TEST_CASE("a tag that no output takes and an output that takes no tag are warnings") {
  const Made conf = made({.input = "{name: files, path: /a, tag: app}", .output = "{name: peer, match: aap}"});
  CHECK(conf.plan);
  CHECK(conf.says("no output's match takes the tag 'app' of input 'files.0'"));
  CHECK(conf.says("no input has a tag that output 'peer.0' takes with match 'aap'"));
  CHECK(
      made({.input = "{name: files, path: /a, tag: app}", .output = "{name: peer, match: a*}"}).problems.all().empty());
}

TEST_CASE("keys of Fluent Bit that are not built are warnings") {
  const Made conf =
      made({.service = "{storage.sync: full, hot_reload: on, dns.mode: UDP, telemetry: {a: b}}",
            .input = "{name: files, path: /a, threaded: on, storage.type: filesystem, docker_mode: on}",
            .output = "{name: peer, match: '*', workers: 2, net.keepalive: off, tls.verify: off, tls: off}"});
  CHECK(conf.plan);
  CHECK(conf.problems.all().size() == 9);
  CHECK_FALSE(conf.says("error"));
}

TEST_CASE("TLS that can't be done is an error, not a warning") {
  CHECK(made({.output = "{name: peer, match: x, tls: on}"}).says("error: 'tls' is on, but this plugin can't do it"));
}

TEST_CASE("service keys are checked") {
  CHECK(made({.service = "{flsh: 1}"}).says("unknown key 'flsh'; did you mean 'flush'?"));
  CHECK(made({.service = "{workers: many}"})
            .says("'workers' can't be 'many'; it must be a number from 1 to 256, or auto"));
  CHECK(made({.service = "{memory_limit: 12}"}).says("'memory_limit' can't be '12'"));
  CHECK(made({.service = "{log_level: loud}"}).says("'log_level' can't be 'loud'; it must be one of off, error, warn"));
  CHECK(made({.service = "{http_port: 70000}"}).says("a whole number from 0 to 65535"));
  CHECK(made({.service = "{keep_capabilities: sys_admin}"}).says("it may have: dac_read_search, net_bind_service"));
  CHECK(made({.service = "{seccomp: on, no_new_privs: off}"}).says("'seccomp' needs 'no_new_privs'"));
  const Made good = made({.service = "{workers: auto, memory_limit: 64M, log_level: Warning, grace: -1}"});
  CHECK(good.plan.value().service.log_level == "warn");
  CHECK(good.plan->service.grace.value == -1);
}

TEST_CASE("flush given three times counts once, with warnings") {
  const Made conf(
      "[service]\n flush 9\n Flush 5\n FLUSH 1\n[input]\n name files\n path /a\n[output]\n name store\n match *\n");
  CHECK(conf.plan.value().service.flush.value == kSecond);
  CHECK(conf.says("a.conf:4:2: warning: 'flush' is given again"));
}

TEST_CASE("an admin port counts as asked for when one of its keys is given") {
  CHECK_FALSE(made({}).plan.value().service.http_explicit);
  CHECK(made({.service = "{HTTP_Port: 2020}"}).plan.value().service.http_explicit);
}

TEST_CASE("flush of the service is for outputs that gather, flush of an output for it alone") {
  CHECK(lane_of(made({.service = "{flush: 2}"})).linger.value == 0);
  CHECK(lane_of(made({.service = "{flush: 2}", .output = "{name: store, match: x}"})).linger.value == 2 * kSecond);
  CHECK(lane_of(made({.output = "{name: store, match: x}"})).linger.value == 50 * kMillisecond);
  CHECK(lane_of(made({.output = "{name: peer, match: x, flush: 0.1}"})).linger.value == 100 * kMillisecond);
  CHECK(lane_of(made({.output = "{name: peer, match: x, Linger: 10ms}"})).linger.value == 10 * kMillisecond);
}

TEST_CASE("the scheduler's keys give the back-off that an output does not set") {
  const Made conf =
      made({.service = "{scheduler.base: 3, scheduler.cap: 7}", .output = "{name: peer, match: x, backoff_cap: 9}"});
  CHECK(lane_of(conf).backoff_base.value == 3 * kSecond);
  CHECK(lane_of(conf).backoff_cap.value == 9 * kSecond);
  CHECK(lane_of(made({.service = "{scheduler.base: 100}"})).backoff_cap.value == 100 * kSecond);
  CHECK(made({.service = "{scheduler.base: 3, scheduler.cap: 1}"}).problems.failed());
}

TEST_CASE("lane options are checked") {
  CHECK(made({.output = "{name: peer, match: x, retry_limit: some}"}).says("'retry_limit' can't be 'some'"));
  CHECK(made({.output = "{name: peer, match: x, when_full: drop}"})
            .says("one of auto, block, spill, drop_newest, drop_oldest"));
  CHECK(made({.output = "{name: peer, match: x, backoff_base: 9, backoff_cap: 1}"}).says("'backoff_cap' is shorter"));
  CHECK(made({.output = "{name: peer, match: x, batch_bytes: 2M, queue_bytes: 1M}"}).says("larger than 'queue_bytes'"));
  CHECK(lane_of(made({.output = "{name: peer, match: x, queue_bytes: 100k}"})).batch_bytes.value == 102400);
}

TEST_CASE("retry limits are read as Fluent Bit writes them") {
  for (const char* word : {"no_limits", "False", "off", "No_Limits"}) CHECK(retry_limit_of(word) == UINT64_MAX);
  CHECK(retry_limit_of("no_retries") == 0);
  CHECK(retry_limit_of("5") == 5);
}

TEST_CASE("between one input and one output a match may be left out") {
  const Made conf = made({.output = "{name: peer}"});
  CHECK(conf.problems.text().empty());
  CHECK(conf.plan.value().outputs.at(0).match == "*");
}

TEST_CASE("of several outputs one without match is a warning, a bad match_regex an error") {
  const Made conf = made({.output = "{name: peer}, {name: peer, match: x}"});
  CHECK(conf.plan);
  CHECK(conf.says("warning: output 'peer.0' has neither match nor match_regex, so it gets no records"));
  CHECK(made({.output = "{name: peer, match_regex: '['}"}).problems.failed());
  CHECK(made({.filters = "[{name: sieve, match_regex: '('}]"}).problems.failed());
}

TEST_CASE("a filter that is not active is left out") {
  const Made conf =
      made({.filters = "[{name: sieve, match: a, active: off}, {name: sieve, match: b, regex: [x y, z]}]"});
  CHECK(conf.plan.value().filters.size() == 1);
  CHECK(conf.plan->filters[0].name == "sieve.1");
  CHECK(static_cast<const fake::SieveOptions*>(conf.plan->filters[0].options.get())->regex.size() == 2);
}

TEST_CASE("a conf without inputs or outputs is told so") {
  const Made conf("service: {flush: 1}\n");
  CHECK(conf.says("a.yaml:1:10: error: the conf has no input; add one under pipeline.inputs"));
  CHECK(conf.says("the conf has no output"));
  CHECK(Made("").says("a.yaml: error: the conf has no input"));
}

TEST_CASE("after a fault in the text nobody complains of what may be behind it") {
  CHECK(Made("[INPUT\n name files\n").problems.all().size() == 1);
}

TEST_CASE("a parser that an input names must be there") {
  const std::string parsers = "parsers: [{name: js, format: json, time_format: '%s'}]\n";
  const Made conf = made({.input = "{name: files, path: /a, parser: 'js, js'}", .more = parsers});
  CHECK(conf.problems.text().empty());
  CHECK(conf.plan.value().inputs[0].parser == "js,js");
  CHECK(conf.plan->parsers.at(0).time_key == "time");
  CHECK(made({.input = "{name: files, path: /a, parser: jss}", .more = parsers})
            .says("error: input 'files.0' names the parser 'jss', which is defined nowhere; did you mean 'js'?"));
}

TEST_CASE("a format that is not built matters only to who uses it") {
  const std::string parsers = "parsers: [{name: x, format: regex, regex: '^a', types: 'a:int'}, {name: y}]\n";
  const Made unused = made({.more = parsers});
  CHECK(unused.plan);
  CHECK(unused.problems.all().size() == 2);
  CHECK(unused.says("can not read; it can read json. (no input uses this parser)"));
  CHECK(unused.says("warning: the required key 'format' is missing"));
  CHECK(made({.input = "{name: files, path: /a, parser: x}", .more = parsers})
            .says("error: parser 'x', which input 'files.0' at a.yaml:3:12 uses: "));
}

TEST_CASE("of two parsers with one name the first stays") {
  const Made conf = made({.more = "parsers: [{name: x, format: json, time_key: a}, {name: x, format: json}]\n"});
  CHECK(conf.says("warning: there is a parser 'x' already; the first one stays"));
  CHECK(conf.plan.value().parsers.size() == 1);
}

TEST_CASE("a key that plugin and engine both read reaches both") {
  const Made conf = made({.input = "{name: files, path: /a, db: /x/y.db, mem_buf_limit: 5M}"});
  const InputPlan& input = conf.plan.value().inputs[0];
  CHECK(input.db == "/x/y.db");
  CHECK(input.mem_buf_limit == "5242880");
  CHECK(static_cast<const fake::FilesOptions*>(input.options.get())->db == "/x/y.db");
}

TEST_CASE("the printed plan is YAML that gives the same plan again") {
  const Made first = made({.service = "{flush: 2, workers: 2}",
                           .input = "{name: files, path: '/a, /b', alias: 'q\" \\'}",
                           .filters = "[{name: sieve, match: 'x.*', regex: ['a, b', 'c [d]']}]",
                           .output = "{name: store, match: '*', retry_limit: 3}"});
  const std::string printed = print_plan(first.plan.value());
  const Made second(printed);
  REQUIRE_MESSAGE(second.problems.text().empty(), printed);
  CHECK(second.plan.value().inputs[0].id == first.plan->inputs[0].id);
  CHECK(second.plan->outputs[0].lane.linger.value == 2 * kSecond);
  CHECK(second.plan->service.workers == "2");
  CHECK(second.plan->filters[0].id == first.plan->filters[0].id);
}

TEST_CASE("the printed plan says what the machine gives") {
  const std::string printed = print_plan(made({.service = "{workers: auto}"}).plan.value());
  for (const char* words : {"# memory_limit: ", "# workers: ", "# state_dir: "}) {
    CHECK_MESSAGE(printed.find(words) != std::string::npos, words);
  }
}

TEST_CASE("the printed plan hides secrets") {
  const Made conf = made({.output = "{name: peer, match: x, password: hunter2}"});
  const std::string printed = print_plan(conf.plan.value());
  CHECK(printed.find("hunter2") == std::string::npos);
  CHECK(printed.find("password: \"***\"") != std::string::npos);
}

}  // namespace
}  // namespace logweir
