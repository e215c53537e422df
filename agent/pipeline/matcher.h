// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "codec/regex.h"

namespace logweir {

// `*` stands for any run of characters, dots included, empty too; anything else for itself; anchored at both ends.
bool wildcard_match(std::string_view pattern, std::string_view text);

// Value. `match` and `match_regex` of a filter or output: the regex is asked first (anchored at the start, as Fluent
// Bit does), then the wildcard.
class Matcher {
 public:
  static Result<Matcher> make(const std::string& match, const std::string& match_regex);
  [[nodiscard]] bool matches(std::string_view tag) const;

 private:
  std::string wildcard_;
  std::shared_ptr<const Regex> regex_;  // shared: copies of a matcher are equal and immutable
};

}  // namespace logweir
