// SPDX-License-Identifier: Apache-2.0
#include "base/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/fd.h"
#include "base/file_system.h"

namespace logweir {

namespace {

class RealFile final : public DiskFile {
 public:
  RealFile(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Status write(std::span<const iovec> parts, std::uint64_t offset) override {
    while (!parts.empty()) {
      const auto count = static_cast<int>(std::min<std::size_t>(parts.size(), IOV_MAX));
      const ssize_t wrote = ::pwritev(fd_.get(), parts.data(), count, static_cast<off_t>(offset));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return Status::from_errno(errno, "write " + path_);
      offset += static_cast<std::uint64_t>(wrote);
      auto left = static_cast<std::size_t>(wrote);
      while (!parts.empty() && left >= parts.front().iov_len) {
        left -= parts.front().iov_len;
        parts = parts.subspan(1);
      }
      if (left == 0) continue;
      if (Status rest = write_rest(parts.front(), left, offset); !rest.ok()) return rest;
      offset += parts.front().iov_len - left;
      parts = parts.subspan(1);
    }
    return {};
  }

  Result<std::size_t> read(char* into, std::size_t size, std::uint64_t offset) override {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::pread(fd_.get(), into + done, size - done, static_cast<off_t>(offset + done));
      if (got == 0) break;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Status::from_errno(errno, "read " + path_);
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Status sync() override {
    if (::fdatasync(fd_.get()) != 0) return Status::from_errno(errno, "sync " + path_);
    return {};
  }

  Status allocate(std::uint64_t size) override {
    while (::fallocate(fd_.get(), 0, 0, static_cast<off_t>(size)) != 0) {
      if (errno == EINTR) continue;
      if (errno == EOPNOTSUPP || errno == ENOSYS) return truncate(size);  // no promise to be had here
      return Status::from_errno(errno, "allocate " + std::to_string(size) + " bytes for " + path_);
    }
    return {};
  }

  Status truncate(std::uint64_t size) override {
    if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) return Status::from_errno(errno, "truncate " + path_);
    return {};
  }

 private:
  // The part of a range that a short write left.
  Status write_rest(const iovec& part, std::size_t from, std::uint64_t offset) {
    const char* const base = static_cast<const char*>(part.iov_base);
    while (from < part.iov_len) {
      const ssize_t wrote = ::pwrite(fd_.get(), base + from, part.iov_len - from, static_cast<off_t>(offset));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return Status::from_errno(errno, "write " + path_);
      from += static_cast<std::size_t>(wrote);
      offset += static_cast<std::uint64_t>(wrote);
    }
    return {};
  }

  Fd fd_;
  std::string path_;
};

int flags_of(Disk::Open how) {
  switch (how) {
    case Disk::Open::read:
      return O_RDONLY;
    case Disk::Open::write:
      return O_RDWR;
    case Disk::Open::create:
      return O_RDWR | O_CREAT | O_TRUNC;
  }
  return O_RDONLY;
}

// Calls `each` with the name and the facts of all there is in a directory; what goes away meanwhile is passed over.
template <typename Each>
Status look_through(const std::string& directory, const Each& each) {
  auto names = list_directory(directory);
  if (!names.ok()) return names.status();
  const Fd base(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!base) return Status::from_errno(errno, "open " + directory);
  for (std::string& name : names.value()) {
    struct stat info{};
    if (::fstatat(base.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      each(std::move(name), info);
    } else if (errno != ENOENT) {
      const int error = errno;
      return Status::from_errno(error, name.insert(0, "look at " + directory + "/"));
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<DiskFile>> RealDisk::open(const std::string& path, Open how) {
  Fd fd(::open(path.c_str(), flags_of(how) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fd) return Status::from_errno(errno, "open " + path);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return Status::from_errno(errno, "look at " + path);
  if (!S_ISREG(info.st_mode)) return Status(Code::io, "open " + path + ": it is no regular file");
  return std::unique_ptr<DiskFile>(std::make_unique<RealFile>(std::move(fd), path));
}

Result<std::unique_ptr<DiskFile>> RealDisk::lock(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return Status::from_errno(errno, "open " + path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Status::from_errno(errno, "lock " + path);
    return Status(Code::busy, "lock " + path + ": somebody else holds it");
  }
  return std::unique_ptr<DiskFile>(std::make_unique<RealFile>(std::move(fd), path));
}

Status RealDisk::remove(const std::string& path) {
  if (std::remove(path.c_str()) != 0) return Status::from_errno(errno, "remove " + path);
  return {};
}

Status RealDisk::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return Status::from_errno(errno, "rename " + from + " to " + to);
  return {};
}

Result<std::vector<Disk::Entry>> RealDisk::files(const std::string& directory) {
  std::vector<Entry> entries;
  Status looked = look_through(directory, [&entries](std::string name, const struct stat& info) {
    if (S_ISREG(info.st_mode)) entries.push_back({std::move(name), static_cast<std::uint64_t>(info.st_size)});
  });
  if (!looked.ok()) return looked;
  return entries;
}

Result<std::vector<std::string>> RealDisk::directories(const std::string& directory) {
  std::vector<std::string> names;
  Status looked = look_through(directory, [&names](std::string name, const struct stat& info) {
    if (S_ISDIR(info.st_mode)) names.push_back(std::move(name));
  });
  if (!looked.ok()) return looked;
  return names;
}

Status RealDisk::make_directories(const std::string& path) { return logweir::make_directories(path, 0700); }

Status RealDisk::sync_directory(const std::string& path) { return logweir::sync_directory(path); }

Result<std::uint64_t> RealDisk::free_bytes(const std::string& path) {
  struct statvfs info{};
  if (::statvfs(path.c_str(), &info) != 0) return Status::from_errno(errno, "ask for the free space of " + path);
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace logweir
