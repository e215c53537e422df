// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/tree.h"

namespace logweir {

// Value, constant data. A flag of Fluent Bit's command line.
struct Flag {
  enum class Takes { nothing, text, maybe };  // maybe: the text may be left out
  char letter = 0;                            // 0: there is only the long name
  std::string_view name;                      // without the dashes
  Takes takes = Takes::nothing;
  std::string_view what;  // the text, in capitals
  std::string_view help;  // or, of one that is `absent`, why it has no meaning here
  bool absent = false;    // taken, with a warning
};
std::span<const Flag> quick_flags();

// Value. A flag as given. `text` is empty where there is none.
struct GivenFlag {
  const Flag* flag = nullptr;
  std::string text;
};

// Value. What the flags add up to: a pipeline, or what they change in a conf that is named beside them.
struct Quick {
  ConfTree conf;
  std::vector<Problem> said;  // warnings
  std::string workdir;        // empty: where we are
  std::string last_plugin;    // whose help -h means
  [[nodiscard]] bool has_plugins() const { return !last_plugin.empty(); }
};
// In the order of the command line: -p, -t and -m speak of the plugin in front of them. An output or filter that is
// given nothing to match gets all. The places in `conf` are named by the flags.
Result<Quick> read_flags(std::span<const GivenFlag> given);

}  // namespace logweir
