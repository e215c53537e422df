// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/tree.h"

namespace logweir {

// Value. The variables of a conf: those it sets itself, then those of the environment.
class Variables {
 public:
  void set(std::string name, std::string value) { own_[std::move(name)] = std::move(value); }

  // Puts the variables into a node and all below it: ${NAME} and ${NAME:-default}. An unset one without a default
  // becomes empty, with a warning.
  void expand(Node& node, Problems& problems);

 private:
  [[nodiscard]] std::optional<std::string_view> find(const std::string& name) const;
  std::string expand_text(const std::string& text, const Place& place, Problems& problems);

  std::map<std::string, std::string> own_;
  std::size_t made_ = 0;  // bytes put in so far, bounded
};

}  // namespace logweir
