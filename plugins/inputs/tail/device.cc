// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/device.h"

#include <linux/magic.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>

namespace logweir::tail {

namespace {

Got read_with(int fd, std::span<const iovec> to, std::uint64_t offset, int flags) {
  for (;;) {
    const ssize_t n = preadv2(fd, to.data(), static_cast<int>(to.size()), static_cast<off_t>(offset), flags);
    if (n >= 0) return {Got::Kind::bytes, static_cast<std::size_t>(n), 0};
    if (errno == EINTR) continue;
    if (errno == EAGAIN && flags != 0) return {Got::Kind::cold, 0, EAGAIN};
    return {Got::Kind::failed, 0, errno};
  }
}

bool in_memory(long type) { return type == TMPFS_MAGIC || type == RAMFS_MAGIC || type == HUGETLBFS_MAGIC; }

bool over_the_network(long type) {
  constexpr long kCifs = 0xff534d42, kSmb2 = 0xfe534d42, kFuse = 0x65735546, kCeph = 0x00c36400, kV9 = 0x01021997;
  return type == NFS_SUPER_MAGIC || type == kCifs || type == kSmb2 || type == kFuse || type == kCeph || type == kV9;
}

}  // namespace

Device& Devices::known(std::uint64_t device, int fd) {
  const auto at = std::find_if(devices_.begin(), devices_.end(), [&](const Device& d) { return d.number == device; });
  if (at != devices_.end()) return *at;
  Device fresh{device, Device::Way::cached, false};
  struct statfs fs;
  if (fstatfs(fd, &fs) == 0) {
    if (in_memory(fs.f_type)) fresh.way = Device::Way::memory;
    fresh.remote = over_the_network(fs.f_type);
  }
  return devices_.emplace_back(fresh);
}

Got Devices::read(std::uint64_t device, int fd, std::span<const iovec> to, std::uint64_t offset) {
  Device& d = known(device, fd);
  if (d.way == Device::Way::memory) return read_with(fd, to, offset, 0);
  if (d.way == Device::Way::threaded) return {Got::Kind::cold, 0, 0};
  const Got got = read_with(fd, to, offset, RWF_NOWAIT);
  if (got.kind != Got::Kind::failed || (got.error != EOPNOTSUPP && got.error != ENOSYS)) return got;
  d.way = Device::Way::threaded;
  return {Got::Kind::cold, 0, 0};
}

bool Devices::is_remote(std::uint64_t device, int fd) { return known(device, fd).remote; }

bool is_remote(const char* path) {
  struct statfs fs;
  return statfs(path, &fs) == 0 && over_the_network(fs.f_type);
}

Got read_blocking(int fd, std::span<const iovec> to, std::uint64_t offset) { return read_with(fd, to, offset, 0); }

}  // namespace logweir::tail
