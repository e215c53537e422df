// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"

namespace logweir::tail {

enum class Compressed : int { off, gzip, zstd, automatic };
enum class UnicodeEncoding : int { none, automatic, utf16le, utf16be };

// Value. The keys of a tail input; tail_schema() says what they mean.
struct TailOptions {
  std::vector<std::string> path;
  std::vector<std::string> exclude_path;
  std::string key = "log";
  bool read_from_head = false;
  bool read_newly_discovered_files_from_head = true;
  Duration refresh_interval{60 * kSecond};
  Duration rotate_wait{5 * kSecond};
  std::string path_key;
  std::string offset_key;
  Duration ignore_older{0};
  bool skip_empty_lines = false;
  bool skip_long_lines = false;
  bool truncate_long_lines = true;
  Bytes buffer_chunk_size{32 * 1024};
  Bytes buffer_max_size{1024 * 1024};
  bool exit_on_eof = false;
  std::int64_t max_open_files = 0;  // 0: half the descriptor limit, at most 1024
  Duration partial_timeout{0};
  bool inotify_watcher = true;
  UnicodeEncoding unicode_encoding = UnicodeEncoding::none;
  std::string generic_encoding;
  Compressed compressed = Compressed::off;
  std::string db;  // the engine's; see README
};

const Schema& tail_schema();

}  // namespace logweir::tail
