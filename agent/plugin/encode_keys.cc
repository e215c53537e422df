// SPDX-License-Identifier: Apache-2.0
#include "plugin/encode_keys.h"

#include <fmt/format.h>

namespace logweir {

Place place_of(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found != nullptr ? found->place : node.place;
}

bool has_key(const Node& node, std::string_view key) { return node.find(key) != nullptr; }

void check_encode_keys(const EncodeKeys& keys, const Node& node, Problems& problems) {
  if (date_format_of(keys.json_date_format).ok()) return;
  problems.error(
      place_of(node, "json_date_format"),
      fmt::format("json_date_format is \"{}\", but it must be one of {}.", keys.json_date_format, kDateFormatWords));
}

EncodeOptions encode_options(const EncodeKeys& keys, Format format) {
  EncodeOptions options;
  options.format = format;
  options.date_key = keys.json_date_key;
  for (const std::string_view off : {"false", "off", "no"}) {
    if (same_key(keys.json_date_key, off)) options.date_key.clear();
  }
  const Result<DateFormat> date = date_format_of(keys.json_date_format);
  if (date.ok()) options.date_format = date.value();
  return options;
}

}  // namespace logweir
