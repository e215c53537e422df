// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugins/inputs/tail/file.h"

namespace logweir::tail {

// Resource, one per worker. All files it knows, and the streams they form: in each, an older file is linked to the next
// younger one that waits for it.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  TailFile& add(const Identity& id);
  // Discovery calls it by that number from now on.
  void number(TailFile& file, FileNumber number);
  void remove(TailFile& file);

  [[nodiscard]] TailFile* by_number(FileNumber number) const;
  [[nodiscard]] TailFile* by_serial(std::uint64_t serial) const;
  [[nodiscard]] TailFile* by_inode(const Identity& id) const;
  [[nodiscard]] TailFile* newest(std::string_view stream) const;
  [[nodiscard]] std::size_t size() const { return files_.size(); }

  // Puts it into its stream behind what is older. It waits for the one before it, which is returned. Files of an
  // earlier run are in the order in which their generations were first seen; what has the stream's own name is the
  // youngest; among the others the last write decides, then the name.
  TailFile* enter_stream(TailFile& file);
  // Out of its stream; the one that waited for it waits for the one before it.
  void leave_stream(TailFile& file);
  // Puts `older` directly before `file`, which waits for it.
  static void put_before(TailFile& older, TailFile& file);
  static bool is_older(const TailFile& a, const TailFile& b);
  // When a generation that is first seen now is said to be born: in between its neighbours, whatever order they were
  // opened in.
  static std::int64_t birth_of(const TailFile& file, std::int64_t now);
  // Nobody waits for it any longer; returns who did.
  static TailFile* release(TailFile& file);

  template <typename Each>
  void each(Each each) {
    for (auto& [serial, file] : files_) each(*file);
  }
  void clear();

 private:
  struct InodeHash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const {
      return static_cast<std::size_t>((key.first * 0x9e3779b97f4a7c15) ^ (key.second * 0xd6e8feb86659fd93));
    }
  };
  std::uint64_t next_serial_ = 1;
  std::unordered_map<std::uint64_t, std::unique_ptr<TailFile>> files_;
  std::vector<TailFile*> by_number_;
  std::unordered_multimap<std::pair<std::uint64_t, std::uint64_t>, TailFile*, InodeHash> by_inode_;
  std::unordered_map<std::uint64_t, TailFile*> newest_;  // by the hash of the stream's name
};

}  // namespace logweir::tail
