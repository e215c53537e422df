// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace logweir::tail {

// Value. How one read went.
struct Got {
  enum class Kind : unsigned char { bytes, cold, failed };
  Kind kind = Kind::bytes;
  std::size_t bytes = 0;  // 0: the end of the file
  int error = 0;
};

// Value. What was learnt of a filesystem, by device number.
struct Device {
  enum class Way : unsigned char {
    cached,    // RWF_NOWAIT works: inline what is in the page cache, else a job thread
    memory,    // lives in memory (tmpfs): always inline
    threaded,  // may block and can't say so: always a job thread
  };
  std::uint64_t number = 0;
  Way way = Way::cached;
  bool remote = false;  // sizes may be stale
};

// Resource. Reads without blocking the loop; remembers per device whether that can be asked for.
class Devices {
 public:
  // Reads inline when that can't block; `cold`: read it on a job thread, with read_blocking.
  Got read(std::uint64_t device, int fd, std::span<const iovec> to, std::uint64_t offset);
  [[nodiscard]] bool is_remote(std::uint64_t device, int fd);

 private:
  Device& known(std::uint64_t device, int fd);
  std::vector<Device> devices_;
};

// Whether that path lies on a network filesystem: others may write there, and sizes may be stale.
bool is_remote(const char* path);

Got read_blocking(int fd, std::span<const iovec> to, std::uint64_t offset);

}  // namespace logweir::tail
