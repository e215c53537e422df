// SPDX-License-Identifier: Apache-2.0
#include "plugin/parsers.h"

#include <utility>

namespace logweir {

Parsers::Parsers(std::vector<ParserOptions> users) : parsers_(std::move(users)) {
  ParserOptions json;
  json.name = "json";
  json.format = "json";
  parsers_.push_back(std::move(json));
}

const ParserOptions* Parsers::find(std::string_view name) const {
  for (const ParserOptions& parser : parsers_) {
    if (parser.name == name) return &parser;
  }
  return nullptr;
}

Result<std::unique_ptr<Decoder>> Parsers::make(std::string_view name) const {
  if (const ParserOptions* parser = find(name)) return make_decoder(*parser);
  std::string known;
  for (const ParserOptions& parser : parsers_) known += (known.empty() ? "" : ", ") + parser.name;
  return Status(Code::invalid, "there is no parser `" + std::string(name) + "`; known are: " + known);
}

}  // namespace logweir
