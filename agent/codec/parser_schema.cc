// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "codec/parser_options.h"

namespace logweir {
namespace {

constexpr std::array kOptions = {
    option<&ParserOptions::name>("name", "", "What inputs and filters call this parser.", kRequired),
    option<&ParserOptions::format>("format", "", "How the text is read: json.", kRequired),
    option<&ParserOptions::time_key>("time_key", "",
                                     "The field that holds the event's time; `time` when time_format is given."),
    option<&ParserOptions::time_format>(
        "time_format", "", "How that field is written, in strptime's words; %L is a fraction of a second."),
    option<&ParserOptions::time_keep>("time_keep", "off", "Keep the time's field in the record."),
    option<&ParserOptions::time_strict>("time_strict", "on", "Refuse a time with text left over."),
    option<&ParserOptions::time_offset>("time_offset", "", "Offset from UTC of times without a zone, such as +0200."),
};

// Keys of formats that are not built yet.
constexpr std::array<std::string_view, 8> kElsewhere = {
    "regex",        "types",          "time_zone", "time_system_timezone", "skip_empty_values", "logfmt_no_bare_keys",
    "decode_field", "decode_field_as"};

}  // namespace

const Schema& parser_schema() {
  static constexpr Schema kSchema{kOptions, kElsewhere, nullptr};
  return kSchema;
}

}  // namespace logweir
