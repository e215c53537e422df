// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "codec/access.h"
#include "codec/regex.h"
#include "plugin/entry.h"
#include "plugin/filter.h"

namespace logweir {

namespace {

enum class LogicalOp { legacy, all, any };

struct GrepOptions {
  std::vector<std::string> regex;
  std::vector<std::string> exclude;
  LogicalOp logical_op = LogicalOp::legacy;
};

constexpr std::array kOptions = {
    option<&GrepOptions::regex>(
        "regex", "", "KEY PATTERN: keep records whose field KEY matches. May be given several times.", kRepeats),
    option<&GrepOptions::exclude>(
        "exclude", "", "KEY PATTERN: drop records whose field KEY matches. May be given several times.", kRepeats),
    option<&GrepOptions::logical_op>("logical_op", "legacy",
                                     "How several rules combine. legacy: keep what every regex matches and no exclude "
                                     "does. AND, OR: rules of one kind only; all or any of them must match.",
                                     0, "legacy|AND|OR"),
};

struct Rule {
  Accessor field;
  Regex pattern;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// `KEY PATTERN`. A blank in a bracket of the key belongs to it: $a['b c'].
Result<Rule> read_rule(std::string_view text) {
  std::size_t end = 0;
  bool in_bracket = false;
  for (; end < text.size() && (in_bracket || !is_blank(text[end])); ++end) {
    if (text.front() == '$' && text[end] == '[') in_bracket = true;
    if (text[end] == ']') in_bracket = false;
  }
  std::size_t pattern = end;
  while (pattern < text.size() && is_blank(text[pattern])) ++pattern;
  if (end == 0 || pattern == text.size()) {
    return Status(Code::invalid,
                  fmt::format("\"{}\" is not a rule; write a key, a blank and a regular expression: log ^ERROR", text));
  }
  Result<Accessor> field = Accessor::parse(text.substr(0, end));
  if (!field.ok()) return field.status();
  Result<Regex> regex = Regex::compile(text.substr(pattern));
  if (!regex.ok()) return regex.status();
  return Rule{std::move(field).value(), std::move(regex).value()};
}

void check_rules(const std::vector<std::string>& texts, std::string_view key, const Node& node, Problems& problems) {
  const Node* written = node.find(key);
  const Place place = written != nullptr ? written->place : node.place;
  for (const std::string& text : texts) {
    const Result<Rule> rule = read_rule(text);
    if (!rule.ok()) problems.error(place, fmt::format("{}: {}", key, rule.status().message()));
  }
}

void check(const void* options, const Node& node, Problems& problems) {
  const auto& grep = *static_cast<const GrepOptions*>(options);
  check_rules(grep.regex, "regex", node, problems);
  check_rules(grep.exclude, "exclude", node, problems);
  if (grep.logical_op != LogicalOp::legacy && !grep.regex.empty() && !grep.exclude.empty()) {
    problems.error(node.place,
                   "grep: logical_op AND and OR take regex rules or exclude rules, not both; leave one kind out, or "
                   "use logical_op legacy.");
  }
}

constexpr Schema kSchema = {kOptions, {}, check};

// Keeps or drops records by what their fields say. A field that is not there matches nothing.
class GrepFilter final : public Filter {
 public:
  explicit GrepFilter(OptionsPtr options) : options_(std::static_pointer_cast<const GrepOptions>(std::move(options))) {}

  Status open(FilterServices& services) override {
    Status status = read(options_->regex, regex_);
    if (status.ok()) status = read(options_->exclude, exclude_);
    if (status.ok() && regex_.empty() && exclude_.empty()) {
      services.log.warn("grep has neither regex nor exclude rules; it keeps everything");
    }
    return status;
  }

  void apply(Batch& batch, Nanos) override {
    auto& records = batch.records;
    const auto drops = [&](const Record& record) { return !keeps(batch, record); };
    records.erase(std::remove_if(records.begin(), records.end(), drops), records.end());
  }

 private:
  static Status read(const std::vector<std::string>& texts, std::vector<Rule>& rules) {
    for (const std::string& text : texts) {
      Result<Rule> rule = read_rule(text);
      if (!rule.ok()) return rule.status();
      rules.push_back(std::move(rule).value());
    }
    return {};
  }

  bool matches(const Rule& rule, const Batch& batch, const Record& record) {
    const auto text = rule.field.text(batch, record, scratch_);
    return text && rule.pattern.matches(*text);
  }

  bool keeps(const Batch& batch, const Record& record) {
    const auto match = [&](const Rule& rule) { return matches(rule, batch, record); };
    const auto all = [&](const auto& rules) { return std::all_of(rules.begin(), rules.end(), match); };
    const auto any = [&](const auto& rules) { return std::any_of(rules.begin(), rules.end(), match); };
    switch (options_->logical_op) {
      case LogicalOp::legacy:
        return all(regex_) && !any(exclude_);
      case LogicalOp::all:
        return exclude_.empty() ? all(regex_) : !all(exclude_);
      case LogicalOp::any:
        return exclude_.empty() ? regex_.empty() || any(regex_) : !any(exclude_);
    }
    return true;
  }

  const std::shared_ptr<const GrepOptions> options_;
  std::vector<Rule> regex_;
  std::vector<Rule> exclude_;
  std::string scratch_;
};

}  // namespace

extern const FilterEntry kGrepFilter;
const FilterEntry kGrepFilter = {
    .name = "grep",
    .summary = "Keeps or drops records whose fields match regular expressions.",
    .schema = &kSchema,
    .make_options = make_options_of<GrepOptions>,
    .make = [](OptionsPtr options) -> std::unique_ptr<Filter> {
      return std::make_unique<GrepFilter>(std::move(options));
    },
};

}  // namespace logweir
