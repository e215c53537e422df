// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/schema.h"

namespace logweir::file_out {

enum class FileFormat : int { out_file, plain, raw, json_lines, csv, ltsv, row, msgpack };
enum class FileSync : int { none, batch, interval };

struct FileOutputOptions {
  std::string path;
  std::string file;
  FileFormat format = FileFormat::out_file;
  std::string delimiter;
  std::string label_delimiter = ":";
  std::string row_template = "{time} {message}";
  bool csv_column_names = false;
  bool mkdir = false;
  bool rotate = false;
  Bytes rotate_max_size{100 << 20};
  std::int64_t rotate_max_files = 7;
  Duration rotate_every{0};
  FileSync sync = FileSync::none;
  Duration sync_interval{kSecond};
  std::int64_t max_open_files = 256;
};

const Schema& file_output_schema();
// The text that `delimiter` or `label_delimiter` stands for.
std::string delimiter_of(std::string_view word);

}  // namespace logweir::file_out
