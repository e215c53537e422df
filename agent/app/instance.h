// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema.h"

namespace logweir {

// The keys that every instance of a kind takes beside its plugin's own.
enum class StorageType : int { memory, filesystem };
struct InputKeys {
  std::string name, alias, tag, db, log_level;
  std::vector<std::string> parser;
  Bytes mem_buf_limit;
  StorageType storage = StorageType::memory;
  bool tls = false;
};
struct FilterKeys {
  std::string name, alias, match, match_regex, log_level;
  bool active = true;
};
struct OutputKeys {
  std::string name, alias, match, match_regex, log_level;
  bool tls = false;
};
const Schema& input_keys_schema();
const Schema& filter_keys_schema();
const Schema& output_keys_schema();

std::vector<std::string_view> keys_of(const Schema& schema);
bool has_option(const Schema& schema, std::string_view written);

// Value. An instance's entries by whom they concern. A key of two schemas is in both.
struct Shares {
  Node own;     // the plugin's, and what nobody knows
  Node common;  // of the kind's schema
  Node lane;    // outputs: of the lane's schema; `flush` has become `linger`
};
// `lane` may be null.
Shares share_out(const Node& instance, const Schema& plugin, const Schema& common, const Schema* lane);

// Makes names and ids of one kind's instances, each once.
class Names {
 public:
  explicit Names(std::string kind) : kind_(std::move(kind)) {}
  // The alias, else "<plugin>.<n>". A name that is taken is an error.
  std::string name(std::string_view plugin, const std::string& alias, const Place& place, Problems& problems);
  // `stable` itself, or with an ordinal when it is taken: two instances may be told apart by nothing but their order.
  std::string id(std::string stable);

 private:
  std::string kind_;
  std::vector<std::pair<std::string, int>> counts_;  // per plugin
  std::set<std::string> names_, ids_;
};

}  // namespace logweir
