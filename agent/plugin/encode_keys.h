// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codec/encode.h"
#include "config/schema.h"

namespace logweir {

// Value. The keys that say how outputs write a record as JSON; a plugin's options have it as their first base, so
// that one schema table covers both: option<&EncodeKeys::json_date_key>(...), see kJsonDateKey.
struct EncodeKeys {
  std::string json_date_key = "date";  // false or off: no date
  std::string json_date_format = "double";
};

constexpr Option kJsonDateKey = option<&EncodeKeys::json_date_key>(
    "json_date_key", "date", "Name of the field with the record's time, put in front; false: none.");
constexpr Option kJsonDateFormat = option<&EncodeKeys::json_date_format>(
    "json_date_format", "double",
    "How that time is written, in UTC: double, iso8601, epoch, epoch_ms, epoch_ns, rfc3339 or java_sql_timestamp.");

// For a schema's `check`: an unknown json_date_format is an error at its own place in the conf.
void check_encode_keys(const EncodeKeys& keys, const Node& node, Problems& problems);
EncodeOptions encode_options(const EncodeKeys& keys, Format format);
// Where key `key` stands in `node` as written by the user, else the node's own place.
Place place_of(const Node& node, std::string_view key);
// Whether the user wrote that key.
bool has_key(const Node& node, std::string_view key);

}  // namespace logweir
