// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/schema.h"

namespace logweir::file_out {

enum class FileFormat : int { out_file, plain, raw };
enum class FileSync : int { none, batch, interval };

struct FileOutputOptions {
  std::string path;
  std::string file;
  FileFormat format = FileFormat::out_file;
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

}  // namespace logweir::file_out
