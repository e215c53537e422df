// SPDX-License-Identifier: Apache-2.0
#include "codec/parser_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "codec/json_decoder.h"

namespace logweir {

namespace {

bool same_word(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) { return (x | 0x20) == y; });
}

}  // namespace

Result<std::unique_ptr<Decoder>> make_decoder(const ParserOptions& options) {
  if (!same_word(options.format, "json")) {
    return Status(Code::invalid, fmt::format("The parser \"{}\" has the format \"{}\", which this version can not "
                                             "read; it can read json.",
                                             options.name, options.format));
  }
  std::optional<JsonDecoder::Time> time;
  if (!options.time_format.empty()) {
    Result<TimeFormat> format = TimeFormat::compile(options.time_format, {options.time_offset, options.time_strict});
    if (!format.ok()) {
      return Status(format.status()).while_doing(fmt::format("making the parser \"{}\"", options.name));
    }
    time.emplace(options.time_key.empty() ? "time" : options.time_key, std::move(format).value(), options.time_keep);
  }
  return std::unique_ptr<Decoder>(std::make_unique<JsonDecoder>(std::move(time)));
}

}  // namespace logweir
