// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/walk.h"

#include <dirent.h>

#include <memory>
#include <string_view>

namespace logweir::tail {

namespace {

using Part = PathPattern::Part;
constexpr int kDeepest = 64;

struct CloseDirectory {
  void operator()(DIR* d) const { closedir(d); }
};

std::string joined(const std::string& directory, std::string_view name) {
  std::string path = directory;
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

template <typename Each>
void list(const std::string& directory, Each each) {
  const std::unique_ptr<DIR, CloseDirectory> open(opendir(directory.c_str()));
  if (open == nullptr) return;
  while (const dirent* entry = readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") each(name, entry->d_type);
  }
}

class Walker {
 public:
  Walker(std::span<const Part> parts, WalkSink& sink) : parts_(parts), sink_(sink) {}

  // What lies in `directory` for the parts from `at` on.
  void descend(const std::string& directory, std::size_t at, int depth) {
    if (at >= parts_.size() || depth > kDeepest) return;
    const bool last = at + 1 == parts_.size();
    switch (parts_[at].kind) {
      case Part::Kind::literal:
        return last ? literal_file(directory, at) : literal_directory(directory, at, depth);
      case Part::Kind::wild:
        return last ? wild_files(directory, at) : wild_directories(directory, at, depth);
      case Part::Kind::deep:
        return deep(directory, at, depth);
    }
  }

 private:
  void literal_file(const std::string& directory, std::size_t at) {
    sink_.directory(directory);
    file(joined(directory, parts_[at].text), DT_UNKNOWN);
  }

  void literal_directory(const std::string& directory, std::size_t at, int depth) {
    const std::string next = joined(directory, parts_[at].text);
    const auto self = stat_path(next.c_str(), false);
    if (!self || self->kind != FileStat::Kind::directory) sink_.directory(directory);
    const auto target = self && self->kind == FileStat::Kind::link ? stat_path(next.c_str()) : self;
    if (target && target->kind == FileStat::Kind::directory) descend(next, at + 1, depth + 1);
  }

  void wild_files(const std::string& directory, std::size_t at) {
    sink_.directory(directory);
    list(directory, [&](std::string_view name, unsigned char type) {
      if (type != DT_DIR && match_name(parts_[at].text, name)) file(joined(directory, name), type);
    });
  }

  void wild_directories(const std::string& directory, std::size_t at, int depth) {
    sink_.directory(directory);
    list(directory, [&](std::string_view name, unsigned char type) {
      if ((type != DT_DIR && type != DT_LNK && type != DT_UNKNOWN) || !match_name(parts_[at].text, name)) return;
      const std::string next = joined(directory, name);
      if (is_directory(next, type, true)) descend(next, at + 1, depth + 1);
    });
  }

  // `**`: none, or one more directory and `**` again.
  void deep(const std::string& directory, std::size_t at, int depth) {
    sink_.directory(directory);
    descend(directory, at + 1, depth);
    list(directory, [&](std::string_view name, unsigned char type) {
      if ((type != DT_DIR && type != DT_UNKNOWN) || name.starts_with('.')) return;
      const std::string next = joined(directory, name);
      if (is_directory(next, type, false)) descend(next, at, depth + 1);
    });
  }

  static bool is_directory(const std::string& path, unsigned char type, bool follow) {
    if (type == DT_DIR) return true;
    const auto stat = stat_path(path.c_str(), follow);
    return stat && stat->kind == FileStat::Kind::directory;
  }

  void file(const std::string& path, unsigned char type) {
    auto stat = stat_path(path.c_str(), type == DT_LNK);
    if (!stat) return;
    const bool is_link = type == DT_LNK || stat->kind == FileStat::Kind::link;
    if (stat->kind == FileStat::Kind::link) stat = stat_path(path.c_str());
    if (stat && stat->kind == FileStat::Kind::regular) sink_.file(path, *stat, is_link);
  }

  std::span<const Part> parts_;
  WalkSink& sink_;
};

}  // namespace

void walk(const PathPattern& pattern, WalkSink& sink) { Walker(pattern.parts(), sink).descend("/", 0, 0); }

}  // namespace logweir::tail
