// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "codec/parser_options.h"
#include "config/schema.h"
#include "plugin/entry.h"
#include "plugin/filter.h"
#include "support/line_batch.h"

namespace logweir {

extern const FilterEntry kGrepFilter;

namespace {

struct Setting {
  std::string key;
  std::string value;
};

Node node_of(const std::vector<Setting>& settings) {
  Node node;
  node.kind = Node::Kind::map;
  for (const Setting& setting : settings) {
    Node value;
    value.scalar = setting.value;
    node.entries.emplace_back(setting.key, value);
  }
  return node;
}

// What is left of `texts` behind a grep with these settings, joined by commas.
std::string kept(const std::vector<Setting>& settings, const std::vector<std::string>& texts) {
  Problems problems;
  const std::shared_ptr<void> options = kGrepFilter.make_options();
  read_options(*kGrepFilter.schema, node_of(settings), {}, options.get(), problems);
  CHECK_FALSE(problems.failed());
  Metrics metrics;
  FilterServices services{Log(), metrics, "grep.0"};
  const auto filter = kGrepFilter.make(options);
  CHECK(filter->open(services).ok());

  LineBatch lines;
  for (const std::string& text : texts) lines.add(text);
  ParserOptions json;
  json.format = "json";
  make_decoder(json).value()->decode(*lines, 0);
  filter->apply(*lines, 0);
  std::string left;
  for (const Record& record : lines->records) left += (left.empty() ? "" : ",") + std::string(record.text());
  return left;
}

std::string problems_of(const std::vector<Setting>& settings) {
  Problems problems;
  const std::shared_ptr<void> options = kGrepFilter.make_options();
  read_options(*kGrepFilter.schema, node_of(settings), {}, options.get(), problems);
  return problems.text();
}

const std::vector<std::string> kWords = {"aa", "ab", "bb", "ca"};

}  // namespace

TEST_CASE("regex keeps what matches, in order") { CHECK(kept({{"regex", "log ^a"}}, kWords) == "aa,ab"); }

TEST_CASE("exclude drops what matches") { CHECK(kept({{"exclude", "log ^a"}}, kWords) == "bb,ca"); }

TEST_CASE("keys are Fluent Bit's in any case") { CHECK(kept({{"Regex", "$log  b$"}}, kWords) == "ab,bb"); }

TEST_CASE("legacy keeps what every regex and no exclude matches") {
  CHECK(kept({{"regex", "log a"}, {"regex", "log b"}}, kWords) == "ab");
  CHECK(kept({{"regex", "log a"}, {"exclude", "log ^c"}, {"exclude", "log b"}}, kWords) == "aa");
}

TEST_CASE("AND and OR combine rules of one kind") {
  CHECK(kept({{"regex", "log ^a"}, {"regex", "log b$"}, {"logical_op", "AND"}}, kWords) == "ab");
  CHECK(kept({{"regex", "log ^a"}, {"regex", "log b$"}, {"logical_op", "or"}}, kWords) == "aa,ab,bb");
  CHECK(kept({{"exclude", "log ^a"}, {"exclude", "log b$"}, {"logical_op", "AND"}}, kWords) == "aa,bb,ca");
  CHECK(kept({{"exclude", "log ^a"}, {"exclude", "log b$"}, {"logical_op", "OR"}}, kWords) == "ca");
}

TEST_CASE("fields of parsed records are reached by key and by path") {
  const std::vector<std::string> records = {R"({"level":"error","http":{"status":500}})",
                                            R"({"level":"info","http":{"status":200}})", "text"};
  CHECK(kept({{"regex", "level ^err"}}, records) == records[0]);
  CHECK(kept({{"regex", "$http['status'] ^5"}}, records) == records[0]);
  CHECK(kept({{"exclude", "level info"}}, records) == records[0] + ",text");
}

TEST_CASE("a field that is not there matches nothing, not even the empty pattern") {
  CHECK(kept({{"regex", "other .*"}}, kWords).empty());
  CHECK(kept({{"exclude", "other .*"}}, kWords) == "aa,ab,bb,ca");
}

TEST_CASE("without rules everything is kept") { CHECK(kept({}, kWords) == "aa,ab,bb,ca"); }

TEST_CASE("every fault of the rules is told") {
  CHECK(problems_of({{"regex", "log"}}).find("a key, a blank") != std::string::npos);
  CHECK(problems_of({{"regex", "log ("}}).find("character") != std::string::npos);
  CHECK(problems_of({{"exclude", "$a[ x"}}).find("$a") != std::string::npos);
  CHECK(problems_of({{"regex", "a b"}, {"exclude", "a b"}, {"logical_op", "AND"}}).find("not both") !=
        std::string::npos);
  CHECK(problems_of({{"regex", "log ("}, {"exclude", "log"}}).find("exclude: ") != std::string::npos);
}

}  // namespace logweir
