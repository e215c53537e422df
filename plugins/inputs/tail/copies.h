// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plugins/inputs/tail/descriptors.h"
#include "plugins/inputs/tail/files.h"

namespace logweir::tail {

// copytruncate: a tool copies app.log to app.log.1 and then empties app.log, while the writer goes on in app.log. What
// was not read yet is in the copy alone, and the copy must not be read as a file of its own.
//
//   A new file whose name extends that of a file we read is held: not read, its descriptor kept.
//   It is released, and read as a file of its own, once its bytes differ from the original's (as far as it goes; an
//   original that was truncated meanwhile is noticed first), or when rotate_wait passes without news.
//   When the original is truncated, its generation is handed over to the copy: reading goes on there, under the same
//   uid and positions. The copy is looked for among the held files, then by name in the original's directory.

// What comparing a held file with its original shows.
enum class Likeness : unsigned char { same_so_far, differs, unknown };
// Compares samples of the first `size` bytes of both; a copy is never said to differ.
Likeness compare(int copy, std::uint64_t size, int original, std::uint64_t original_size);

// Value. Where a truncated file's bytes went.
struct FoundCopy {
  std::string path;
  Fd fd;
  FileStat stat;
  bool whole = false;  // reaches our offset, and has the bytes in front of it
};
// Whether `fd` can be a copy of the generation that `file` held: its head, and the mark when it reaches that far.
bool is_copy_of(int fd, const FileStat& stat, const TailFile& file, bool& whole);
// Looks beside `file` for a copy that is not read as anything else. Nothing found: no descriptor.
FoundCopy find_copy(const TailFile& file, const Files& files);

}  // namespace logweir::tail
