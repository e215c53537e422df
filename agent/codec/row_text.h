// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "codec/date_text.h"

namespace logweir {

// Records as rows, made of their JSON object, whose members keep their order. `object` is valid JSON. All append to
// `out`, without a newline.

// sec.nsec,"text",1: strings in quotes, with a quote in them doubled (RFC 4180), containers as their JSON text in
// quotes, null empty. A newline in a string stays, inside the quotes.
void write_csv_row(std::string& out, Nanos time, std::string_view object, std::string_view delimiter);
// The names of the columns in front of such rows: timestamp,"a","b".
void write_csv_names(std::string& out, std::string_view object, std::string_view delimiter);

// "time":sec.nsec<TAB>"k":"v": names and values in their JSON form, so that neither a tab nor a newline in them ends
// anything.
void write_ltsv_row(std::string& out, Nanos time, std::string_view object, std::string_view delimiter,
                    std::string_view label_delimiter);

// Resource. A line with places to fill in: {time} is the record's time, {name} that field (strings as they are, but for
// control characters, which keep their JSON escapes; others as JSON). A name that a record does not have stays, braces
// and all. One thread.
class RowTemplate {
 public:
  explicit RowTemplate(std::string_view text);
  void write(std::string& out, Nanos time, std::string_view object);

 private:
  struct Part {
    std::string text;  // literal, or with its braces
    std::string name;  // empty: a literal
  };
  std::vector<Part> parts_;
  std::vector<std::string_view> values_;  // of the record at hand, by part; empty: none
  std::string name_;
  DateText date_{DateFormat::real};
};

}  // namespace logweir
