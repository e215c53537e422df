// SPDX-License-Identifier: Apache-2.0
#include "config/schema.h"

#include <doctest/doctest.h>

#include <array>

namespace logweir {
namespace {

enum class Mood : int { calm, angry };

struct Thing {
  std::string name;
  bool on = false;
  std::int64_t port = 0;
  double rate = 0;
  Bytes size;
  Duration wait;
  Duration limit;
  Mood mood = Mood::calm;
  std::string level;
  std::vector<std::string> path;
  std::vector<std::string> regex;
  std::string password;
};

void check(const void* options, const Node& node, Problems& problems) {
  if (static_cast<const Thing*>(options)->port == 13) problems.error(node.place, "13 brings no luck");
}

constexpr std::array kOptions = {
    option<&Thing::name>("name", "", "What it is called.", kRequired | kIdentity),
    option<&Thing::on>("read_from_head", "off", "Whether."),
    option<&Thing::port>("port", "5170", "Where.", 0, "1..65535"),
    option<&Thing::rate>("rate", "0.5", "How fast."),
    option<&Thing::size>("size", "32k", "How much.", kLive),
    option<&Thing::wait>("wait", "200ms", "How long."),
    option<&Thing::limit>("limit", "off", "How long at most.", 0, "off"),
    option<&Thing::mood>("mood", "angry", "How.", 0, "calm|angry"),
    option<&Thing::level>("level", "info", "How loud.", 0, "debug|info"),
    option<&Thing::path>("path", "", "Which.", kCommaList | kIdentity),
    option<&Thing::regex>("regex", "", "What.", kRepeats),
    option<&Thing::password>("password", "", "Secret.", kSecret),
};
constexpr std::array<std::string_view, 2> kElsewhere = {"threaded", "net.*"};
constexpr Schema kSchema{kOptions, kElsewhere, check};

Node text(std::string value) {
  Node node;
  node.scalar = std::move(value);
  return node;
}

Node list(std::vector<std::string> values) {
  Node node;
  node.kind = Node::Kind::list;
  for (std::string& value : values) node.items.push_back(text(std::move(value)));
  return node;
}

Node map(std::vector<std::pair<std::string, Node>> entries) {
  Node node;
  node.kind = Node::Kind::map;
  node.place.line = 1;
  int line = 1;
  for (auto& [key, value] : entries) {
    node.key_places.push_back({nullptr, ++line, 1});
    value.place = {nullptr, line, 9};
    node.entries.emplace_back(key, std::move(value));
  }
  return node;
}

struct Read {
  Thing thing;
  Problems problems;
  explicit Read(std::vector<std::pair<std::string, Node>> entries, std::span<const std::string_view> others = {}) {
    bool named = false;
    for (const auto& entry : entries) named = named || same_key(entry.first, "name");
    if (!named) entries.emplace_back("name", text("x"));
    read_options(kSchema, map(std::move(entries)), others, &thing, problems);
  }
};

bool says(const Problems& problems, std::string_view words) { return problems.text().find(words) != std::string::npos; }

TEST_CASE("defaults are set before keys are read") {
  const Read read({});
  CHECK(read.problems.text().empty());
  CHECK(read.thing.port == 5170);
  CHECK(read.thing.size.value == 32768);
  CHECK(read.thing.wait.value == 200 * kMillisecond);
  CHECK(read.thing.limit.value == -1);
  CHECK(read.thing.mood == Mood::angry);
}

TEST_CASE("keys match in any case and as camelCase") {
  const Read read({{"READ_from_Head", text("on")}});
  CHECK(read.thing.on);
  CHECK(Read({{"readFromHead", text("yes")}}).thing.on);
  CHECK(same_key("logLevel", "log_level"));
  CHECK_FALSE(same_key("LogLevel", "log_level"));
  CHECK_FALSE(same_key("log", "log_level"));
}

TEST_CASE("all words for yes and no are read") {
  for (const char* word : {"on", "Yes", "TRUE", "1"}) CHECK(Read({{"read_from_head", text(word)}}).thing.on);
  for (const char* word : {"off", "No", "FALSE", "0"}) CHECK_FALSE(Read({{"read_from_head", text(word)}}).thing.on);
  CHECK(says(Read({{"read_from_head", text("maybe")}}).problems,
             "'read_from_head' can't be 'maybe'; it must be on or off"));
}

TEST_CASE("numbers keep to their range") {
  CHECK(Read({{"port", text("65535")}}).thing.port == 65535);
  for (const char* word : {"0", "65536", "x", "", "5k", "99999999999999999999"}) {
    CHECK(says(Read({{"port", text(word)}}).problems, "it must be a whole number from 1 to 65535"));
  }
  CHECK(Read({{"rate", text("1e3")}}).thing.rate == 1000);
  CHECK(Read({{"rate", text("nan")}}).problems.failed());
}

TEST_CASE("a bad value is told with its place, what was found and what is allowed") {
  const Read read({{"size", text("12 apples")}});
  CHECK(read.problems.text() ==
        "conf:2:9: error: 'size' can't be '12 apples'; it must be a size such as 512, 32k, 1.5M or 2GB\n");
}

TEST_CASE("choices and closed texts take only their words") {
  CHECK(Read({{"mood", text("Calm")}}).thing.mood == Mood::calm);
  CHECK(Read({{"level", text("DEBUG")}}).thing.level == "debug");
  CHECK(says(Read({{"mood", text("angri")}}).problems, "one of calm, angry (did you mean 'angry'?)"));
  CHECK(says(Read({{"level", text("loud")}}).problems, "one of debug, info"));
}

TEST_CASE("a comma list is split, a YAML list is taken as it is") {
  CHECK(Read({{"path", text("/a, /b ,,/c")}}).thing.path == std::vector<std::string>{"/a", "/b", "/c"});
  CHECK(Read({{"path", list({"/a,b", "/c"})}}).thing.path == std::vector<std::string>{"/a,b", "/c"});
}

TEST_CASE("a key that may repeat gathers all its values in order") {
  const Read read({{"Regex", text("a 1")}, {"regex", list({"b 2", "c, 3"})}});
  CHECK(read.thing.regex == std::vector<std::string>{"a 1", "b 2", "c, 3"});
  CHECK(read.problems.text().empty());
}

TEST_CASE("of a single key given twice the last wins, with a warning") {
  const Read read({{"port", text("1")}, {"Port", text("2")}});
  CHECK(read.thing.port == 2);
  CHECK_FALSE(read.problems.failed());
  CHECK(says(read.problems, "conf:3:1: warning: 'port' is given again (first at conf:2:1); the last one wins"));
}

TEST_CASE("one value does not take a list of two, but a list of one") {
  CHECK(says(Read({{"port", list({"1", "2"})}}).problems, "'port' can't be a list of 2"));
  CHECK(Read({{"port", list({"7"})}}).thing.port == 7);
  CHECK(says(Read({{"path", map({})}}).problems, "'path' can't be a map"));
}

TEST_CASE("an unknown key is an error that names the nearest") {
  const Read read({{"prot", text("1")}});
  CHECK(read.problems.text() == "conf:2:1: error: unknown key 'prot'; did you mean 'port'?\n");
  CHECK(says(Read({{"zzzzzzzz", text("1")}}).problems, "the keys known here are name, read_from_head, port"));
}

TEST_CASE("keys of others are passed over but offered as the nearest") {
  static constexpr std::array<std::string_view, 1> kOthers = {"match"};
  CHECK(Read({{"Match", text("*")}}, kOthers).problems.text().empty());
  CHECK(says(Read({{"mtach", text("*")}}, kOthers).problems, "did you mean 'match'?"));
}

TEST_CASE("a key of Fluent Bit that is not built is a warning") {
  const Read read({{"Threaded", text("on")}, {"net.keepalive", text("on")}});
  CHECK_FALSE(read.problems.failed());
  CHECK(says(read.problems, "conf:2:1: warning: 'Threaded' is a key of Fluent Bit that logweir does not have"));
  CHECK(says(read.problems, "'net.keepalive'"));
  CHECK(Read({{"net.", text("on")}}).problems.failed());
}

TEST_CASE("a missing required key and the last look are told") {
  Thing thing;
  Problems problems;
  read_options(kSchema, map({{"port", text("13")}}), {}, &thing, problems);
  CHECK(says(problems, "conf:1: error: the required key 'name' is missing: What it is called."));
  CHECK(says(problems, "13 brings no luck"));
}

TEST_CASE("secrets are neither shown as values nor in complaints") {
  const Read read({{"password", text("hunter2")}});
  CHECK(render_values(kSchema, &read.thing, 2).find("  password: \"***\"\n") != std::string::npos);
  CHECK_FALSE(says(Read({{"password", list({"hunter2", "x"})}}).problems, "hunter2"));
}

TEST_CASE("effective values are shown in words that can be read again") {
  const Read read({{"path", text("/a,/b")}, {"wait", text("90s")}, {"size", text("1.5M")}, {"mood", text("calm")}});
  const std::string shown = render_values(kSchema, &read.thing, 0);
  for (const char* line :
       {"path: /a, /b\n", "wait: 90s\n", "size: 1536k\n", "mood: calm\n", "limit: off\n", "rate: 0.5\n"}) {
    CHECK_MESSAGE(shown.find(line) != std::string::npos, line);
  }
}

std::string identity(std::vector<std::pair<std::string, Node>> entries) {
  const Read read(std::move(entries));
  return identity_of(kSchema, &read.thing);
}

TEST_CASE("values that are not given are not shown, and lists with commas as lists") {
  const Read read({{"regex", list({"a, b", "c \"d\""})}, {"path", list({"/a,b"})}});
  const std::string shown = render_values(kSchema, &read.thing, 0);
  CHECK(shown.find("regex: [\"a, b\", \"c \\\"d\\\"\"]\n") != std::string::npos);
  CHECK(shown.find("path: [\"/a,b\"]\n") != std::string::npos);
  CHECK(shown.find("password") == std::string::npos);
}

TEST_CASE("identity is made of the marked options alone") {
  const std::string before = identity({{"path", text("/a")}});
  CHECK(identity({{"path", text("/a")}, {"size", text("1M")}}) == before);
  CHECK(identity({{"path", text("/b")}}) != before);
}

TEST_CASE("help names type, default, marks and what is allowed") {
  const std::string help = render_help(kSchema);
  for (const char* words : {"name  (text, required)", "size  (size, live)  default: 32k", "allowed: calm, angry",
                            "path  (list, comma list)", "regex  (list, may repeat)"}) {
    CHECK_MESSAGE(help.find(words) != std::string::npos, words);
  }
}

TEST_CASE("no problem list outgrows its bound") {
  Problems problems;
  for (int i = 0; i < 5000; ++i) problems.error({nullptr, i + 1, 1}, "x");
  CHECK(problems.all().size() == 1000);
  CHECK(says(problems, "(4000 more problems are not shown)"));
}

}  // namespace
}  // namespace logweir
