// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "config/schema.h"
#include "record/decoder.h"

namespace logweir {

// One entry of `parsers:` ([PARSER]); Fluent Bit's keys. This issue builds format json; the others come later and are
// refused in a sentence.
struct ParserOptions {
  std::string name;
  std::string format;
  std::string time_key;  // Fluent Bit's default is "time"; empty here unless time_format is given
  std::string time_format;
  bool time_keep = false;
  bool time_strict = true;
  std::string time_offset;
};
const Schema& parser_schema();

// A fresh decoder for one worker. `text_key`-less: bodies are Body::text.
Result<std::unique_ptr<Decoder>> make_decoder(const ParserOptions& options);

}  // namespace logweir
