// SPDX-License-Identifier: Apache-2.0
#include "app/quick.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "config/schema.h"

namespace logweir {
namespace {

using Takes = Flag::Takes;

constexpr std::array<Flag, 28> kFlags = {{
    {'i', "input", Takes::text, "NAME", "an input; -p and -t behind it are its own"},
    {'F', "filter", Takes::text, "NAME", "a filter; -p and -m behind it are its own"},
    {'o', "output", Takes::text, "NAME", "an output; -p and -m behind it are its own"},
    {'p', "prop", Takes::text, "KEY=VALUE", "a key of the plugin in front; may be given again and again"},
    {'t', "tag", Takes::text, "TAG", "the same as -p tag=TAG"},
    {'m', "match", Takes::text, "MATCH", "the same as -p match=MATCH; without it an output or filter takes all"},
    {'R', "parser", Takes::text, "FILE", "a file with parsers, classic or YAML"},
    {'f', "flush", Takes::text, "SECONDS", "how long outputs that gather wait for more records"},
    {'b', "storage_path", Takes::text, "DIR", "where outputs keep what waits on disk"},
    {'l', "log_file", Takes::text, "FILE", "where the agent's own log goes; else to stderr"},
    {'v', "verbose", Takes::nothing, "", "log level debug; -vv: trace"},
    {'q', "quiet", Takes::nothing, "", "log level error"},
    {'H', "http", Takes::maybe, "HOST", "serve metrics and health, on HOST"},
    {'L', "listen", Takes::text, "HOST", "the address to serve them on"},
    {'P', "port", Takes::text, "PORT", "the port to serve them on"},
    {'d', "daemon", Takes::nothing, "", "run in the background"},
    {'w', "workdir", Takes::text, "DIR", "go there first"},
    {'Y', "enable-hot-reload", Takes::nothing, "", "take up a changed conf on SIGHUP"},
    {'e', "plugin", Takes::text, "FILE", "all plugins are part of the program", true},
    {'s', "coro_stack_size", Takes::text, "BYTES", "there are no coroutines", true},
    {'X', "coro_collective_timeslice", Takes::text, "SECONDS", "there are no coroutines", true},
    {'S', "sosreport", Takes::nothing, "", "logweir check prints the plan, /metrics and /api/v1/ledger the state",
     true},
    {'T', "sp-task", Takes::text, "SQL", "there is no stream processor", true},
    {'C', "custom", Takes::text, "NAME", "there are no custom plugins", true},
    {'Z', "enable-chunk-trace", Takes::nothing, "", "there is no trace of chunks", true},
    {'W', "disable-thread-safety-on-hot-reload", Takes::nothing, "", "a reload here is always safe", true},
    {0, "supervisor", Takes::nothing, "", "systemd, or any supervisor, starts it again", true},
    {0, "trace", Takes::text, "SETTINGS", "there is no trace of chunks", true},
}};

class Builder {
 public:
  Builder() {
    quick_.conf.service.kind = Node::Kind::map;
    quick_.conf.service.place = place("command line");
  }

  Status take(const GivenFlag& given) {
    const std::string spelling = spelt(*given.flag);
    if (given.flag->absent) {
      quick_.said.push_back({Problem::Level::warning, place(spelling),
                             fmt::format("this flag of Fluent Bit has no meaning here: {}", given.flag->help)});
      return {};
    }
    switch (given.flag->letter) {
      case 'i':
        begin(quick_.conf.inputs, spelling, given.text);
        return {};
      case 'F':
        begin(quick_.conf.filters, spelling, given.text);
        return {};
      case 'o':
        begin(quick_.conf.outputs, spelling, given.text);
        return {};
      case 'p':
        return property(given.text);
      case 't':
        return of_plugin("tag", given.text, spelling);
      case 'm':
        return of_plugin("match", given.text, spelling);
      case 'w':
        quick_.workdir = given.text;
        return {};
      default:
        service(given, spelling);
        return {};
    }
  }

  Quick finish() {
    if (verbose_ > 0) set("log_level", verbose_ > 1 ? "trace" : "debug", "-v");
    for (std::vector<Node>* nodes : {&quick_.conf.filters, &quick_.conf.outputs}) {
      for (Node& node : *nodes) {
        if (node.find("match") == nullptr && node.find("match_regex") == nullptr) add(node, "match", "*", node.place);
      }
    }
    return std::move(quick_);
  }

 private:
  static std::string spelt(const Flag& flag) {
    return flag.letter != 0 ? fmt::format("-{}", flag.letter) : fmt::format("--{}", flag.name);
  }
  static Place place(std::string words) { return {std::make_shared<const std::string>(std::move(words)), 0, 0}; }

  static void add(Node& to, std::string key, std::string value, const Place& where) {
    Node node;
    node.scalar = std::move(value);
    node.quoted = true;  // never null
    node.place = where;
    to.key_places.push_back(where);
    to.entries.emplace_back(std::move(key), std::move(node));
  }

  void begin(std::vector<Node>& list, const std::string& spelling, const std::string& name) {
    Node node;
    node.kind = Node::Kind::map;
    node.place = place(fmt::format("{} {}", spelling, name));
    add(node, "name", name, node.place);
    list.push_back(std::move(node));
    last_ = &list;
    quick_.last_plugin = name;
  }

  Status of_plugin(std::string key, std::string value, std::string_view spelling) {
    if (last_ == nullptr) {
      return {Code::invalid, fmt::format("{} must stand behind the plugin that it speaks of, as in -i tail {} ...",
                                         spelling, spelling)};
    }
    // A value may be a secret, so that only the key is named.
    const Place where = place(spelling == "-p" ? fmt::format("-p {}", key) : std::string(spelling));
    add(last_->back(), std::move(key), std::move(value), where);
    return {};
  }

  Status property(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return {Code::invalid, fmt::format("-p must be followed by KEY=VALUE, such as path=/var/log/*.log; found '{}'",
                                         text.substr(0, 80))};
    }
    return of_plugin(text.substr(0, equals), text.substr(equals + 1), "-p");
  }

  void set(std::string key, std::string value, const std::string& spelling) {
    add(quick_.conf.service, std::move(key), std::move(value), place(spelling));
  }

  void service(const GivenFlag& given, const std::string& spelling) {
    switch (given.flag->letter) {
      case 'R':
        return set("parsers_file", given.text, spelling);
      case 'f':
        return set("flush", given.text, spelling);
      case 'b':
        return set("storage.path", given.text, spelling);
      case 'l':
        return set("log_file", given.text, spelling);
      case 'v':
        ++verbose_;
        return;
      case 'q':
        return set("log_level", "error", spelling);
      case 'H':
        set("http_server", "on", spelling);
        if (!given.text.empty()) set("http_listen", given.text, spelling);
        return;
      case 'L':
        return set("http_listen", given.text, spelling);
      case 'P':
        set("http_server", "on", spelling);
        return set("http_port", given.text, spelling);
      case 'd':
        return set("daemon", "on", spelling);
      case 'Y':
        return set("hot_reload", "on", spelling);
      default:
        return;
    }
  }

  Quick quick_;
  std::vector<Node>* last_ = nullptr;  // its last node is the plugin that -p speaks of
  int verbose_ = 0;
};

}  // namespace

std::span<const Flag> quick_flags() { return kFlags; }

Result<Quick> read_flags(std::span<const GivenFlag> given) {
  Builder builder;
  for (const GivenFlag& flag : given) {
    if (Status status = builder.take(flag); !status.ok()) return status;
  }
  return builder.finish();
}

}  // namespace logweir
