// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/copies.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

namespace {

constexpr std::size_t kSample = 4096;

bool same_bytes(int a, int b, std::uint64_t at, std::size_t size, Likeness& likeness) {
  std::array<char, kSample> one, two;
  const std::size_t got_one = read_at(a, one.data(), size, at);
  const std::size_t got_two = read_at(b, two.data(), size, at);
  if (got_one != size || got_two != size) {
    likeness = Likeness::unknown;
    return false;
  }
  if (std::memcmp(one.data(), two.data(), size) != 0) {
    likeness = Likeness::differs;
    return false;
  }
  return true;
}

// Nothing that is read already, under whatever name, is the copy we look for.
bool is_taken(const Files& files, const Identity& id) {
  const TailFile* known = files.by_inode(id);
  return known != nullptr && (known->uid != 0 || known->known != nullptr);
}

bool better(const FoundCopy& a, const FoundCopy& b) {
  if (!b.fd) return true;
  if (a.whole != b.whole) return a.whole;
  return a.stat.mtime > b.stat.mtime;
}

void consider(std::string path, const TailFile& file, const Files& files, FoundCopy& best) {
  FoundCopy found;
  found.fd.reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
  if (!found.fd) return;
  const auto stat = stat_fd(found.fd.get());
  if (!stat || stat->kind != FileStat::Kind::regular || is_taken(files, stat->id)) return;
  found.stat = *stat;
  if (!is_copy_of(found.fd.get(), *stat, file, found.whole)) return;
  found.path = std::move(path);
  if (better(found, best)) best = std::move(found);
}

}  // namespace

Likeness compare(int copy, std::uint64_t size, int original, std::uint64_t original_size) {
  if (size > original_size) return Likeness::differs;
  Likeness likeness = Likeness::same_so_far;
  const std::size_t sample = std::min<std::uint64_t>(size, kSample);
  for (const std::uint64_t at : {std::uint64_t{0}, size / 4, size / 2, size / 4 * 3, size - sample}) {
    const std::size_t here = std::min<std::uint64_t>(sample, size - at);
    if (here > 0 && !same_bytes(copy, original, at, here, likeness)) break;
  }
  return likeness;
}

bool is_copy_of(int fd, const FileStat& stat, const TailFile& file, bool& whole) {
  whole = false;
  if (file.head.size == 0) return false;
  std::array<char, kHeadBytes> bytes;
  if (!begins_with({bytes.data(), read_at(fd, bytes.data(), file.head.size, 0)}, file.head)) return false;
  if (stat.size < file.offset) return true;
  const std::size_t got = read_at(fd, bytes.data(), file.mark.size, file.offset - file.mark.size);
  whole = file.mark.size == 0 || (got == file.mark.size && mark_of({bytes.data(), got}) == file.mark);
  return whole;
}

FoundCopy find_copy(const TailFile& file, const Files& files) {
  FoundCopy best;
  const std::string directory(directory_of(file.path));
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) return best;
  while (const dirent* entry = readdir(listing)) {
    std::string path = directory == "/" ? directory + entry->d_name : directory + "/" + entry->d_name;
    if (extends_name(path, file.stream_name()) && path != file.path && !is_packed(path))
      consider(std::move(path), file, files, best);
  }
  closedir(listing);
  return best;
}

}  // namespace logweir::tail
