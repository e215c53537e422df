// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/file/out_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "plugins/outputs/file/names.h"

namespace logweir::file_out {

namespace {

constexpr int kAttempts = 100;  // names for files rotated within one second
constexpr Nanos kRotateAgain = 10 * kSecond;

// Whether the last byte is something else than a newline. The file itself is open for writing only.
bool ends_torn(const std::string& path, std::uint64_t size) {
  const Fd reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char last = '\n';
  return size > 0 && reader && pread(reader.get(), &last, 1, static_cast<off_t>(size - 1)) == 1 && last != '\n';
}

Status failure(int error, const std::string& what) {
  Status status = Status::from_errno(error, what);
  return error == ENOSPC || error == EDQUOT ? Status(Code::full, status.message()) : status;
}

}  // namespace

Result<std::unique_ptr<OutFile>> OutFile::open(std::string path, const RotateRules& rules, Nanos wall) {
  std::unique_ptr<OutFile> file(new OutFile(std::move(path), rules));
  Status status = file->open_now(wall);
  if (!status.ok()) return status;
  return file;
}

Status OutFile::open_now(Nanos wall) {
  struct stat before{};
  created_ = stat(path_.c_str(), &before) != 0;
  // O_NONBLOCK: opening a named pipe that nobody reads must fail, not wait.
  Fd fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644));
  struct stat now{};
  if (!fd || fstat(fd.get(), &now) != 0) return failure(errno, fmt::format("open {} for writing", path_));
  regular_ = S_ISREG(now.st_mode);
  if (!regular_ && !S_ISCHR(now.st_mode)) {
    return Status(Code::invalid,
                  fmt::format("{} is neither a file nor a device; give the file output a path of its own.", path_));
  }
  size_ = regular_ ? static_cast<std::uint64_t>(now.st_size) : 0;
  period_ = size_ > 0 ? period_of(now.st_mtim.tv_sec * kSecond) : period_of(wall);
  torn_ = rules_.lines && ends_torn(path_, size_);
  fd_ = std::move(fd);
  return {};
}

Status OutFile::end_torn_line() {
  ssize_t n = 0;
  do {
    n = ::write(fd_.get(), "\n", 1);
  } while (n < 0 && errno == EINTR);
  if (n != 1) return failure(n < 0 ? errno : EIO, fmt::format("write to {}", path_));
  torn_ = false;
  ++size_;
  return {};
}

Status OutFile::append(Outbox& outbox) {
  if (torn_) {
    if (Status status = end_torn_line(); !status.ok()) return status;
  }
  const std::uint64_t from = outbox.written();
  while (!outbox.waiting().empty()) {
    const std::span<const iovec> front = outbox.waiting().front();
    const ssize_t n = writev(fd_.get(), front.data(), static_cast<int>(front.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : EIO;
      const std::uint64_t written = outbox.written();
      cut_back(written - from, outbox.boundary(written) - from);
      return failure(error, fmt::format("write to {}", path_));
    }
    outbox.wrote(static_cast<std::size_t>(n));
  }
  size_ += outbox.written() - from;
  return {};
}

Status OutFile::begin_with(Pieces& line) {
  const std::size_t size = line.size();
  while (!line.empty()) {
    const std::span<const iovec> front = line.front();
    const ssize_t n = writev(fd_.get(), front.data(), static_cast<int>(front.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : EIO;
      cut_back(size - line.size(), 0);
      return failure(error, fmt::format("write to {}", path_));
    }
    line.consume(static_cast<std::size_t>(n));
  }
  size_ += size;
  return {};
}

// `tried` bytes were added, the first `keep` of them are whole records. When nobody else has written meanwhile the
// rest is cut off; else the torn line is ended before the next record.
void OutFile::cut_back(std::uint64_t tried, std::uint64_t keep) {
  struct stat now{};
  const bool alone =
      regular_ && fstat(fd_.get(), &now) == 0 && static_cast<std::uint64_t>(now.st_size) == size_ + tried;
  if (tried == keep) {
    size_ += tried;
  } else if (alone && ftruncate(fd_.get(), static_cast<off_t>(size_ + keep)) == 0) {
    size_ += keep;
  } else {
    size_ += tried;
    torn_ = rules_.lines;
  }
}

std::uint64_t OutFile::room() const {
  if (rules_.max_size == 0 || !regular_) return UINT64_MAX;
  return size_ < rules_.max_size ? rules_.max_size - size_ : 0;
}

bool OutFile::rotation_due(Nanos wall) const {
  if (!regular_ || size_ == 0 || wall < rotate_again_) return false;
  return room() == 0 || period_of(wall) != period_;
}

Status OutFile::rotate(Nanos wall) {
  struct stat now{};
  // Somebody else may have emptied it meanwhile.
  if (fstat(fd_.get(), &now) == 0) size_ = static_cast<std::uint64_t>(now.st_size);
  period_ = period_of(wall);
  if (!rotation_due(wall) && size_ == 0) return {};
  rotate_again_ = wall + kRotateAgain;
  int attempt = 0;
  while (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, rotated_name(path_, wall, attempt).c_str(), RENAME_NOREPLACE) !=
         0) {
    if (errno == ENOENT) break;  // moved away by somebody else: only begin a new one
    if (errno != EEXIST || ++attempt == kAttempts) return failure(errno, fmt::format("rename {}", path_));
  }
  if (Status status = open_now(wall); !status.ok()) return status;
  rotate_again_ = 0;
  sync_round = 0;
  if (rules_.keep > 0) remove_oldest();
  return {};
}

void OutFile::remove_oldest() const {
  const std::filesystem::path path(path_);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string base = path.filename().string();
  std::vector<std::string> rotated;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (is_rotated_name(name, base)) rotated.push_back(std::move(name));
  }
  std::sort(rotated.begin(), rotated.end(), std::greater<>());
  for (std::size_t i = static_cast<std::size_t>(rules_.keep); i < rotated.size(); ++i) {
    (void)unlink((folder / rotated[i]).c_str());
  }
}

}  // namespace logweir::file_out
