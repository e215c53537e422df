// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "memory/pieces.h"
#include "record/batch.h"

namespace logweir {

enum class Format : unsigned char {
  json_lines,   // one object per line: {"date":1700000000.123456,"log":"..."}
  plain,        // the same without a date (Fluent Bit's out_file `plain`)
  raw,          // the text body (or the field `raw_key`) and a newline
  fluent,       // Fluent Bit's stdout: [i] tag: [[sec.nsec, {}], {"k"=>"v"}]
  out_file,     // Fluent Bit's file default: tag: [sec.nsec, {json}]
  json,         // an object and a comma each: the owner puts the brackets of an array around them
  json_stream,  // objects with nothing between them
  msgpack,      // Fluent Bit's events: [[EventTime, {}], {"k": v}] in MessagePack, with nothing between them
  csv,          // sec.nsec,"v",1 (row_text.h)
  csv_names,    // instead of a record the names of its columns
  ltsv,         // "time":sec.nsec<TAB>"k":"v"
  row,          // `row_template`, filled in
};

enum class DateFormat : unsigned char {
  real,      // 1700000000.123457 (six digits, as Fluent Bit)
  iso8601,   // 2023-11-14T22:13:20.123456Z
  epoch,     // 1700000000
  epoch_ms,  // 1700000000123
  epoch_ns,
  rfc3339,             // nine digits: 2023-11-14T22:13:20.123456789Z
  java_sql_timestamp,  // 2023-11-14 22:13:20.123456
};
// Fluent Bit's words, epoch_millis and epoch_milliseconds and "double" included.
Result<DateFormat> date_format_of(std::string_view word);
constexpr std::string_view kDateFormatWords = "double|iso8601|epoch|epoch_ms|epoch_ns|rfc3339|java_sql_timestamp";

struct EncodeOptions {
  Format format = Format::json_lines;
  std::string date_key = "date";  // empty: no date; not for msgpack, which has the time in front
  DateFormat date_format = DateFormat::real;
  std::string id_key;     // not empty: a field of this name with the record's id (record_id.h), instead of its own
  std::string raw_key;    // Format::raw: send this field instead of the body
  std::string delimiter;  // of csv and ltsv; empty: a comma, a tab
  std::string label_delimiter = ":";  // of ltsv
  std::string row_template = "{time} {message}";
  // Around what one call of `encode` writes, if it is anything; a few bytes each. With Format::json a `run_end` takes
  // the place of the last comma: "[" and "]\n" make an array a line.
  std::string run_begin;
  std::string run_end;
  std::size_t refer_above = SIZE_MAX;  // bodies that need no change and are larger are referred to, not copied
};

// Resource. Turns records into bytes; keeps caches (the last second's date text, prepared key text per origin). One
// thread. A record is written completely or not at all.
class Encoder {
 public:
  explicit Encoder(EncodeOptions options);
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder();

  // Appends records of `part` to `out` until all are written, `out` holds at least `stop` bytes, or the pool is out of
  // memory. Returns how many were written.
  std::uint32_t encode(const Part& part, Pieces& out, std::size_t stop);

  [[nodiscard]] std::uint64_t repaired() const;  // ill-formed UTF-8 parts replaced so far
  void restart();                                // for Format::fluent, whose lines are numbered per flush

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace logweir
