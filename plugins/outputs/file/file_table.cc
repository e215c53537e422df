// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/file/file_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "plugins/outputs/file/names.h"

namespace logweir::file_out {

namespace {

RotateRules rules_of(const FileOutputOptions& options) {
  return {options.rotate ? options.rotate_max_size.value : 0, options.rotate_max_files, options.rotate_every.value,
          options.format != FileFormat::msgpack};
}

}  // namespace

FileTable::FileTable(const FileOutputOptions& options)
    : options_(options), one_file_(!options.file.empty()), rules_(rules_of(options)), name_(options.file) {}

Result<OutFile*> FileTable::file_for(std::string_view tag, Nanos wall) {
  if (last_ != nullptr && same_file(tag, last_tag_)) {
    last_->last_use = ++uses_;
    return last_;
  }
  if (!one_file_) {
    name_for_tag(tag, name_);
    last_tag_ = tag;
  }
  last_ = nullptr;
  const auto found = files_.find(name_);
  if (found != files_.end()) {
    last_ = found->second.get();
    last_->last_use = ++uses_;
    return last_;
  }
  return open(wall);
}

Result<OutFile*> FileTable::open(Nanos wall) {
  make_room();
  std::error_code error;
  const std::filesystem::path path = std::filesystem::path(options_.path) / name_;
  const std::filesystem::path folder = path.parent_path();
  if (options_.mkdir && !folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return Status(Code::io, fmt::format("create the folder {}: {}", folder.string(), error.message()));
  }
  Result<std::unique_ptr<OutFile>> file = OutFile::open(path.string(), rules_, wall);
  if (!file.ok()) {
    const bool no_folder = !options_.mkdir && !std::filesystem::exists(folder.empty() ? "." : folder, error);
    return no_folder ? Status(Code::not_found, fmt::format("{} (the folder is not there; mkdir: on would create it)",
                                                           file.status().message()))
                     : file.status();
  }
  last_ = file.value().get();
  last_->last_use = ++uses_;
  files_.emplace(name_, std::move(file).value());
  return last_;
}

void FileTable::make_room() {
  while (files_.size() >= static_cast<std::size_t>(options_.max_open_files)) {
    files_.erase(std::min_element(files_.begin(), files_.end(), [](const auto& a, const auto& b) {
      return a.second->last_use < b.second->last_use;
    }));
  }
}

void FileTable::close_all() {
  last_ = nullptr;
  files_.clear();
}

}  // namespace logweir::file_out
