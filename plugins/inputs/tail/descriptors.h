// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "plugins/inputs/tail/file.h"

namespace logweir::tail {

// What opening a file by its path came to.
enum class Opened : unsigned char {
  open,
  missing,  // no such name
  other,    // another inode has that name now
  refused,  // errno in `error()`: no permission, no descriptor left
};

// Resource, one per worker. Keeps the number of open files bounded: the least recently used one that can be opened
// again by its name, and is read to its end, is closed for the next. Rotated and deleted files stay open, come what
// may.
class Descriptors {
 public:
  explicit Descriptors(std::size_t most) : most_(most) {}
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  // Sees to it that `file` is open, and that it is the inode it should be.
  Opened ensure(TailFile& file);
  // Takes over a descriptor that was opened elsewhere.
  void adopt(TailFile& file, Fd fd);
  void close(TailFile& file);
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] int error() const { return error_; }

 private:
  void make_room();
  [[nodiscard]] static bool may_close(const TailFile& file, bool unread_too);
  List<TailFile> open_;
  const std::size_t most_;
  std::size_t count_ = 0;
  int error_ = 0;
};

// The default of max_open_files: half the soft limit of descriptors, at most 1024.
std::size_t default_open_files();

}  // namespace logweir::tail
