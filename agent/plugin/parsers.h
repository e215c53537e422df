// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "codec/parser_options.h"
#include "record/decoder.h"

namespace logweir {

// Value, immutable once made; any thread. The named parsers of a conf and the built-in ones; a user's parser with a
// built-in's name wins.
class Parsers {
 public:
  explicit Parsers(std::vector<ParserOptions> users);

  // A fresh decoder for one worker. An unknown name: a sentence with the names there are.
  [[nodiscard]] Result<std::unique_ptr<Decoder>> make(std::string_view name) const;

 private:
  [[nodiscard]] const ParserOptions* find(std::string_view name) const;
  std::vector<ParserOptions> parsers_;  // the users', then the built-in ones
};

}  // namespace logweir
