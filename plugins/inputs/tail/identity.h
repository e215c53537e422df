// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace logweir::tail {

// Value. What tells an inode from all others while it lives. `btime` (birth, ns) is 0 where the filesystem has none;
// `dev` may change at a reboot.
struct Identity {
  std::uint64_t dev = 0;
  std::uint64_t ino = 0;
  std::int64_t btime = 0;
  friend bool operator==(const Identity&, const Identity&) = default;
  // Of the same inode number, not its second life: births differ then, where they are known.
  [[nodiscard]] bool same_birth(const Identity& other) const {
    return btime == other.btime || btime == 0 || other.btime == 0;
  }
};

// Value. One look at a path or descriptor.
struct FileStat {
  enum class Kind : unsigned char { regular, directory, link, other };
  Identity id;
  std::uint64_t size = 0;
  std::int64_t mtime = 0;  // ns
  std::uint32_t links = 0;
  Kind kind = Kind::other;
};
std::optional<FileStat> stat_path(const char* path, bool follow = true);
std::optional<FileStat> stat_fd(int fd);

// Value. The first bytes of a generation: `size` grows with the file up to kHeadBytes, the bytes never change.
constexpr std::size_t kHeadBytes = 1024;
struct Head {
  std::uint32_t size = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const Head&, const Head&) = default;
};
// Of the first bytes in `content`, at most kHeadBytes.
Head head_of(std::string_view content);
// Whether a file that begins with `content` can be what the head was taken from.
bool begins_with(std::string_view content, const Head& head);

// Value. The last bytes in front of a read offset: read again with what follows, they show that the file still is what
// it was.
constexpr std::size_t kMarkBytes = 64;
struct Mark {
  std::uint8_t size = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const Mark&, const Mark&) = default;
};
// Of the end of `content`, at most kMarkBytes.
Mark mark_of(std::string_view content);

// A new uid for a generation; never 0. `content`: its first-seen head; `born`: when that was, wall clock. The time
// keeps it from being an earlier generation's, whose epoch nobody remembers: it must be kept, it can't be made again.
std::uint64_t generation_uid(std::uint64_t machine_id, const Identity& id, std::string_view content,
                             std::uint32_t epoch, std::int64_t born);

// Reads up to `size` bytes at `offset`, inline; fewer at the end of the file or on a failure.
std::size_t read_at(int fd, char* to, std::size_t size, std::uint64_t offset);

}  // namespace logweir::tail
