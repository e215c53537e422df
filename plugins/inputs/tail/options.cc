// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/options.h"

#include <algorithm>
#include <array>

#include "codec/charset.h"

namespace logweir::tail {

namespace {

using T = TailOptions;

constexpr std::array kOptions = {
    option<&T::path>("path", "", "Files to read: patterns with *, ?, [a-z] and **, a comma list or a YAML list.",
                     kIdentity | kRequired | kCommaList),
    option<&T::exclude_path>("exclude_path", "", "Patterns of paths not to read; * crosses directories here.",
                             kCommaList),
    option<&T::key>("key", "log", "Name of the field that holds the line."),
    option<&T::read_from_head>("read_from_head", "off",
                               "Read the files that are there at the first start from their beginning, not their end."),
    option<&T::read_newly_discovered_files_from_head>("read_newly_discovered_files_from_head", "on",
                                                      "The same for files that come later."),
    option<&T::refresh_interval>("refresh_interval", "60", "How often all patterns are looked at anew."),
    option<&T::rotate_wait>("rotate_wait", "5",
                            "How long a rotated file is followed after the last bytes that came to it."),
    option<&T::path_key>("path_key", "", "Field to add with the path of the file. Empty: none."),
    option<&T::offset_key>("offset_key", "", "Field to add with the byte position of the line. Empty: none."),
    option<&T::ignore_older>("ignore_older", "0", "Pass over files not changed for so long. 0: none."),
    option<&T::skip_empty_lines>("skip_empty_lines", "off", "Drop lines without content."),
    option<&T::skip_long_lines>("skip_long_lines", "off",
                                "Drop a line longer than buffer_max_size (counted) instead of cutting it."),
    option<&T::truncate_long_lines>("truncate_long_lines", "on",
                                    "Cut a line longer than buffer_max_size and mark it _truncated; this is what is "
                                    "done unless skip_long_lines is on."),
    option<&T::buffer_chunk_size>("buffer_chunk_size", "32k", "Taken and not needed: reads fit what there is."),
    option<&T::buffer_max_size>("buffer_max_size", "1M", "Longest line in bytes."),
    option<&T::exit_on_eof>("exit_on_eof", "off", "Stop the agent when all files are read to their end."),
    option<&T::max_open_files>("max_open_files", "0",
                               "Most files kept open; the least recently used is closed and opened again when it "
                               "changes. 0: half the limit of descriptors, at most 1024."),
    option<&T::partial_timeout>("partial_timeout", "0",
                                "Send a last line without a newline after so long. 0: wait for the newline."),
    option<&T::inotify_watcher>("inotify_watcher", "on", "Hear changes from the kernel; off: look each second."),
    option<&T::unicode_encoding>("unicode.encoding", "none",
                                 "Text of the files. auto: UTF-16 where a file begins with its byte order mark, else "
                                 "UTF-8. none: UTF-8, passed on as it is.",
                                 0, "none|auto|UTF-16LE|UTF-16BE"),
    option<&T::generic_encoding>("generic.encoding", "",
                                 "An older encoding of the files: ShiftJIS, UHC, GBK, GB18030, Big5, Win866, Win874 or "
                                 "Win1250 to Win1258. What is ill-formed becomes U+FFFD and is counted."),
    option<&T::compressed>(
        "compressed", "off",
        "Read the files through a decompressor, always from their beginning; positions count in their "
        "text. auto: those that begin like gzip or zstd. off: names such as *.gz are passed over.",
        0, "off|gzip|zstd|auto"),
    option<&T::db>("db", "",
                   "Fluent Bit's file of offsets: taken over at the first start and left as it is. Its name with "
                   ".logweir behind it is the state directory when the service names none."),
};

constexpr std::array<std::string_view, 25> kElsewhere = {
    "watcher_interval",
    "progress_check_interval",
    "progress_check_interval_nsec",
    "static_batch_size",
    "event_batch_size",
    "file_cache_advise",
    "tag_regex",
    "db.sync",
    "db.locking",
    "db.journal_mode",
    "db.compare_filename",
    "multiline",
    "multiline_flush",
    "parser_firstline",
    "multiline.parser",
    "docker_mode",
    "docker_mode_flush",
    "docker_mode_parser",
    "windows.path_encoding",
    "ignore_active_older_files",
    "storage.type",
    "threaded",
    "storage.pause_on_chunks_overlimit",
    "parser_1",
    "parser_2",
};

void check(const void* options, const Node& node, Problems& problems) {
  const auto& o = *static_cast<const TailOptions*>(options);
  const auto place = [&](std::string_view key) {
    const Node* found = node.find(key);
    return found != nullptr ? found->place : node.place;
  };
  const auto is_empty = [](const std::string& pattern) { return pattern.empty(); };
  if (std::all_of(o.path.begin(), o.path.end(), is_empty) && node.find("path") != nullptr) {
    problems.error(place("path"), "path is empty; name the files to read, such as /var/log/*.log.");
  }
  if (o.buffer_max_size.value < 16 || o.buffer_max_size.value > 256 * 1024 * 1024) {
    problems.error(place("buffer_max_size"), "buffer_max_size is " + std::to_string(o.buffer_max_size.value) +
                                                 " bytes; give a size from 16 to 256M.");
  }
  if (o.refresh_interval.value < kMillisecond) {
    problems.error(place("refresh_interval"), "refresh_interval must be at least 1ms; 60 is the default.");
  }
  if (o.max_open_files < 0) {
    problems.error(place("max_open_files"), "max_open_files must be 0 (automatic) or more.");
  }
  if (!o.generic_encoding.empty() && !Charset::is_known(o.generic_encoding)) {
    problems.error(place("generic.encoding"), "generic.encoding is \"" + o.generic_encoding +
                                                  "\", but it must be one of " + std::string(kCharsetWords) + ".");
  }
  if (!o.generic_encoding.empty() && o.unicode_encoding != UnicodeEncoding::none) {
    problems.error(place("generic.encoding"),
                   "a file can't have two encodings: leave out unicode.encoding or "
                   "generic.encoding.");
  }
  for (const std::string& path : o.path) {
    if (path.empty()) problems.error(place("path"), "path holds an empty pattern; name a file or a pattern.");
  }
}

}  // namespace

const Schema& tail_schema() {
  static constexpr Schema kSchema{kOptions, kElsewhere, &check};
  return kSchema;
}

}  // namespace logweir::tail
