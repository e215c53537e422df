// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "plugins/outputs/file/options.h"
#include "plugins/outputs/file/out_file.h"

namespace logweir::file_out {

// Resource. The open files by tag (or the one file for all tags), bounded: the one not used for longest is closed for
// another.
class FileTable {
 public:
  explicit FileTable(const FileOutputOptions& options);

  // The file for records of this tag, opened if need be; valid until the next call.
  Result<OutFile*> file_for(std::string_view tag, Nanos wall);
  // Whether both tags end in the same file.
  [[nodiscard]] bool same_file(std::string_view a, std::string_view b) const { return one_file_ || a == b; }
  // They are opened anew when they are needed.
  void close_all();
  [[nodiscard]] std::size_t open_files() const { return files_.size(); }

 private:
  Result<OutFile*> open(Nanos wall);
  void make_room();

  const FileOutputOptions& options_;
  const bool one_file_;
  const RotateRules rules_;
  std::unordered_map<std::string, std::unique_ptr<OutFile>> files_;  // by name within the folder
  std::string name_;                                                 // of the file asked for last
  std::string last_tag_;                                             // whose name that is
  OutFile* last_ = nullptr;
  std::uint64_t uses_ = 0;
};

}  // namespace logweir::file_out
