// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/file/options.h"

#include <fmt/format.h>

#include <array>

#include "plugin/encode_keys.h"

namespace logweir::file_out {

namespace {

using O = FileOutputOptions;

constexpr std::array kOptions = {
    option<&O::path>("path", "", "Folder of the files; empty: the working folder.", kIdentity),
    option<&O::file>("file", "",
                     "Name of the one file. Empty: a file per tag, named like the tag; a `/` in a tag and a `.` at its "
                     "start become `_`, so that no tag leads out of the folder.",
                     kIdentity),
    option<&O::format>("format", "out_file",
                       "out_file: tag: [sec.nsec, {json}]. plain (or json_lines): one JSON object per line, without "
                       "time. raw: the record's text and a newline. csv: sec.nsec and the values. ltsv: "
                       "\"time\":sec.nsec and the labelled values. template: see there. msgpack: Fluent Bit's events, "
                       "one behind the other.",
                       0, "out_file|plain|raw|json_lines|csv|ltsv|template|msgpack"),
    option<&O::delimiter>(
        "delimiter", "",
        "Between the values of csv (default: a comma) and ltsv (default: a tab); \\t or tab, space and "
        "comma are taken as words too."),
    option<&O::label_delimiter>("label_delimiter", ":", "Between label and value of ltsv."),
    option<&O::row_template>("template", "{time} {message}",
                             "The line of format template: {time} is the record's time, {key} that field."),
    option<&O::csv_column_names>("csv_column_names", "off",
                                 "Begin a new csv file with the names of the first record's columns."),
    option<&O::mkdir>("mkdir", "off", "Create the folder when it is not there."),
    option<&O::rotate>("rotate", "off",
                       "Rename a file that has reached rotate_max_size to name.YYYYMMDDTHHMMSSZ and begin a new one."),
    option<&O::rotate_max_size>("rotate_max_size", "100M", "Size at which a file is rotated, with rotate on."),
    option<&O::rotate_max_files>("rotate_max_files", "7", "Rotated files to keep of each name; 0: all."),
    option<&O::rotate_every>("rotate_every", "0",
                             "Also rotate at each multiple of this time (1h: at full hours, 1d: at midnight UTC), with "
                             "the first record behind it; 0: never."),
    option<&O::sync>("sync", "none",
                     "none: a record is delivered when the system has it. batch: when it is on the disk (fdatasync). "
                     "interval: like none, and the disk is told to catch up each sync_interval.",
                     0, "none|batch|interval"),
    option<&O::sync_interval>("sync_interval", "1s", "For sync: interval."),
    option<&O::max_open_files>("max_open_files", "256",
                               "Files kept open at a time; the one not used for longest is closed for another."),
};

constexpr std::array<std::string_view, 7> kKnown = {
    "enable_strftime", "max_dynamic_files", "on_missing_field", "on_limit_reached",
    "fallback_path",   "fallback_file",     "rotate_gzip",
};

void check(const void* options, const Node& node, Problems& problems) {
  const auto& o = *static_cast<const O*>(options);
  for (const auto& [key, value] : {std::pair("path", &o.path), std::pair("file", &o.file)}) {
    if (value->find('$') == std::string::npos) continue;
    problems.error(
        place_of(node, key),
        fmt::format("{} is \"{}\", but names made of record fields are not there yet; leave file out for a file "
                    "per tag.",
                    key, *value));
  }
  if (o.rotate && o.rotate_max_size.value == 0) {
    problems.error(place_of(node, "rotate_max_size"), "rotate_max_size must be more than 0.");
  }
  if (!o.rotate && has_key(node, "rotate_max_size")) {
    problems.warning(place_of(node, "rotate_max_size"), "rotate_max_size means nothing without rotate: on.");
  }
  for (const auto& [key, value] :
       {std::pair("delimiter", &o.delimiter), std::pair("label_delimiter", &o.label_delimiter)}) {
    if (value->find_first_of("\"\n\r") != std::string::npos) {
      problems.error(place_of(node, key), fmt::format("{} must not hold a quote or a line end.", key));
    }
  }
  if (o.row_template.find('\n') != std::string::npos) {
    problems.error(place_of(node, "template"), "template must be one line; a newline is put behind each anyway.");
  }
  if (o.rotate_max_files < 0)
    problems.error(place_of(node, "rotate_max_files"), "rotate_max_files must not be below 0.");
  if (o.max_open_files < 1) problems.error(place_of(node, "max_open_files"), "max_open_files must be at least 1.");
  if (o.sync == FileSync::interval && o.sync_interval.value < kMillisecond) {
    problems.error(place_of(node, "sync_interval"), "sync_interval must be at least 1ms.");
  }
}

constexpr Schema kSchema = {kOptions, kKnown, check};

}  // namespace

std::string delimiter_of(std::string_view word) {
  if (word == "tab" || word == "\\t") return "\t";
  if (word == "space") return " ";
  if (word == "comma") return ",";
  return std::string(word);
}

const Schema& file_output_schema() { return kSchema; }

}  // namespace logweir::file_out
