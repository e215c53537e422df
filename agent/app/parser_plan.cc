// SPDX-License-Identifier: Apache-2.0
#include "app/parser_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace logweir {
namespace {

struct Use {
  std::string input;
  Place place;
};

class ParserPlanner {
 public:
  ParserPlanner(const ConfTree& tree, Problems& problems) : tree_(tree), problems_(problems) {}

  void use(const InputPlan& input) {
    std::string_view rest = input.parser;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      uses_.emplace_back(std::string(rest.substr(0, comma)), Use{input.name, input.place});
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
  }

  std::vector<ParserOptions> run() {
    for (const Node& node : tree_.parsers) parser(node);
    for (const auto& [name, use] : uses_) {
      if (!seen_.contains(name)) unknown(name, use);
    }
    if (!tree_.multiline_parsers.empty()) {
      problems_.warning(tree_.multiline_parsers.front().place,
                        "multi-line parsers are not built here; they are ignored");
    }
    return std::move(parsers_);
  }

 private:
  [[nodiscard]] const Use* use_of(const std::string& name) const {
    const auto found = std::find_if(uses_.begin(), uses_.end(), [&](const auto& use) { return use.first == name; });
    return found != uses_.end() ? &found->second : nullptr;
  }

  void parser(const Node& node) {
    ParserOptions options;
    Problems own;
    read_options(parser_schema(), node, {}, &options, own);
    const Use* use = use_of(options.name);
    for (const Problem& problem : own.all()) {
      if (use != nullptr) {
        problems_.add(problem);
      } else if (problem.level == Problem::Level::error) {
        problems_.warning(problem.place, fmt::format("{} (no input uses this parser)", problem.text));
      }
    }
    if (options.name.empty()) return;
    if (!seen_.insert(options.name).second) {
      problems_.warning(node.place, fmt::format("there is a parser '{}' already; the first one stays", options.name));
      return;
    }
    if (options.time_key.empty() && !options.time_format.empty()) options.time_key = "time";
    if (!own.failed()) try_out(options, use, node);
    parsers_.push_back(std::move(options));
  }

  // A parser that nobody uses, as in a file of all kinds of them, must not stop the agent.
  void try_out(const ParserOptions& options, const Use* use, const Node& node) {
    const auto decoder = make_decoder(options);
    if (decoder.ok()) return;
    const std::string& why = decoder.status().message();
    if (use == nullptr) return problems_.warning(node.place, fmt::format("{} (no input uses this parser)", why));
    problems_.error(node.place, fmt::format("parser '{}', which input '{}' at {} uses: {}", options.name, use->input,
                                            use->place.text(), why));
  }

  void unknown(const std::string& name, const Use& use) {
    std::vector<std::string_view> known(seen_.begin(), seen_.end());
    const std::string_view near = nearest(name, known);
    problems_.error(
        use.place,
        fmt::format("input '{}' names the parser '{}', which is defined nowhere{}", use.input, name,
                    near.empty() ? std::string("; add it under parsers, or name its file in service.parsers_file")
                                 : fmt::format("; did you mean '{}'?", near)));
  }

  const ConfTree& tree_;
  Problems& problems_;
  std::vector<std::pair<std::string, Use>> uses_;
  std::set<std::string> seen_;
  std::vector<ParserOptions> parsers_;
};

}  // namespace

std::vector<ParserOptions> plan_parsers(const ConfTree& tree, const std::vector<InputPlan>& inputs,
                                        Problems& problems) {
  ParserPlanner planner(tree, problems);
  for (const InputPlan& input : inputs) planner.use(input);
  return planner.run();
}

}  // namespace logweir
