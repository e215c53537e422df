// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/hash.h"

namespace logweir::tail {

namespace {

FileStat::Kind kind_of(unsigned mode) {
  if (S_ISREG(mode)) return FileStat::Kind::regular;
  if (S_ISDIR(mode)) return FileStat::Kind::directory;
  if (S_ISLNK(mode)) return FileStat::Kind::link;
  return FileStat::Kind::other;
}

std::optional<FileStat> look(int fd, const char* path, int flags) {
  struct statx s;
  if (statx(fd, path, flags, STATX_BASIC_STATS | STATX_BTIME, &s) != 0) return std::nullopt;
  FileStat out;
  out.id.dev = makedev(s.stx_dev_major, s.stx_dev_minor);
  out.id.ino = s.stx_ino;
  if ((s.stx_mask & STATX_BTIME) != 0) out.id.btime = s.stx_btime.tv_sec * kSecond + s.stx_btime.tv_nsec;
  out.size = s.stx_size;
  out.mtime = s.stx_mtime.tv_sec * kSecond + s.stx_mtime.tv_nsec;
  out.links = s.stx_nlink;
  out.kind = kind_of(s.stx_mode);
  return out;
}

}  // namespace

std::optional<FileStat> stat_path(const char* path, bool follow) {
  return look(AT_FDCWD, path, follow ? 0 : AT_SYMLINK_NOFOLLOW);
}

std::optional<FileStat> stat_fd(int fd) { return look(fd, "", AT_EMPTY_PATH); }

Head head_of(std::string_view content) {
  content = content.substr(0, kHeadBytes);
  return {static_cast<std::uint32_t>(content.size()), hash64(content)};
}

bool begins_with(std::string_view content, const Head& head) {
  return content.size() >= head.size && hash64(content.substr(0, head.size)) == head.hash;
}

Mark mark_of(std::string_view content) {
  if (content.size() > kMarkBytes) content.remove_prefix(content.size() - kMarkBytes);
  return {static_cast<std::uint8_t>(content.size()), hash64(content)};
}

std::uint64_t generation_uid(std::uint64_t machine_id, const Identity& id, std::string_view content,
                             std::uint32_t epoch, std::int64_t born) {
  const std::uint64_t parts[] = {machine_id, id.ino, static_cast<std::uint64_t>(id.btime), epoch,
                                 static_cast<std::uint64_t>(born)};
  std::uint64_t h = kHashSeed;
  for (const std::uint64_t part : parts) {
    for (int shift = 0; shift < 64; shift += 8) {
      const char byte = static_cast<char>(part >> shift);
      h = hash64({&byte, 1}, h);
    }
  }
  h = hash64(content.substr(0, kHeadBytes), h);
  return h != 0 ? h : 1;
}

std::size_t read_at(int fd, char* to, std::size_t size, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(fd, to + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace logweir::tail
