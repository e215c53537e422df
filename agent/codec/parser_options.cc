// SPDX-License-Identifier: Apache-2.0
#include "codec/parser_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "codec/json_decoder.h"

namespace logweir {

namespace {

constexpr std::array kOptions = {
    option<&ParserOptions::name>("name", "", "What inputs and filters call it by.", kRequired),
    option<&ParserOptions::format>("format", "", "How a line is written: json.", kRequired),
    option<&ParserOptions::time_key>("time_key", "",
                                     "The field that holds the event's time; \"time\" when only time_format is given."),
    option<&ParserOptions::time_format>("time_format", "",
                                        "How it is written: strptime's conversions and %L for the digits of a "
                                        "fraction. Without it the time of reading is the record's time."),
    option<&ParserOptions::time_keep>("time_keep", "off", "Leave the time field in the record once it was read."),
    option<&ParserOptions::time_strict>("time_strict", "on",
                                        "Refuse a time with more behind it than time_format tells; off: ignore that."),
    option<&ParserOptions::time_offset>("time_offset", "",
                                        "Of times without a zone: +0900, -05:30, Z. Without it they are UTC."),
};

constexpr std::string_view kElsewhere[] = {
    "regex",        "types",           "time_zone",           "time_system_timezone", "skip_empty_values",
    "decode_field", "decode_field_as", "logfmt_no_bare_keys",
};

bool same_word(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) { return (x | 0x20) == y; });
}

}  // namespace

const Schema& parser_schema() {
  static constexpr Schema kSchema{kOptions, kElsewhere};
  return kSchema;
}

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
