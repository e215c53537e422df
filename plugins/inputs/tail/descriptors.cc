// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace logweir::tail {

namespace {
constexpr int kLookAt = 64;  // candidates to close, per file opened
}  // namespace

Opened Descriptors::ensure(TailFile& file) {
  if (file.fd) {
    open_.push_back(file.open);
    return Opened::open;
  }
  if (count_ >= most_) make_room();
  Fd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd && (errno == EMFILE || errno == ENFILE)) {
    make_room();
    fd.reset(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  }
  if (!fd) {
    error_ = errno;
    return error_ == ENOENT || error_ == ENOTDIR ? Opened::missing : Opened::refused;
  }
  const auto stat = stat_fd(fd.get());
  if (!stat || stat->id.dev != file.id.dev || stat->id.ino != file.id.ino || !stat->id.same_birth(file.id)) {
    return Opened::other;
  }
  adopt(file, std::move(fd));
  return Opened::open;
}

void Descriptors::adopt(TailFile& file, Fd fd) {
  file.fd = std::move(fd);
  open_.push_back(file.open);
  ++count_;
}

void Descriptors::close(TailFile& file) {
  if (!file.fd) return;
  file.fd.reset();
  file.open.leave();
  --count_;
}

bool Descriptors::may_close(const TailFile& file, bool unread_too) {
  if (file.cold || file.gone || file.rotated || file.state == TailFile::State::held) return false;
  return unread_too || (file.at_end && !file.told);
}

void Descriptors::make_room() {
  for (const bool unread_too : {false, true}) {
    TailFile* file = open_.front();
    for (int i = 0; i < kLookAt && file != nullptr; ++i) {
      if (may_close(*file, unread_too)) return close(*file);
      file = open_.after(file->open);
    }
  }
}

std::size_t default_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  return static_cast<std::size_t>(std::clamp<rlim_t>(limit.rlim_cur / 2, 16, 1024));
}

}  // namespace logweir::tail
