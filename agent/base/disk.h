// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace logweir {

// Interface. One open file; one thread at a time. Closed by its destructor.
class DiskFile {
 public:
  virtual ~DiskFile() = default;
  // Writes all parts, one behind the other. After a failure any of the bytes may have been written, or none.
  virtual Status write(std::span<const iovec> parts, std::uint64_t offset) = 0;
  // Bytes read; fewer than asked only at the end of the file.
  virtual Result<std::size_t> read(char* into, std::size_t size, std::uint64_t offset) = 0;
  // What was written survives a power cut. After a failure nobody knows what is on disk of all that was written since
  // the last success, and another sync does not tell either.
  virtual Status sync() = 0;
  // Gives the file that size and blocks to write to, as far as the file system can promise them.
  virtual Status allocate(std::uint64_t size) = 0;
  virtual Status truncate(std::uint64_t size) = 0;
};

// Interface. The calls of a file system, so that a test can put one in their place that fails, tears and forgets. Any
// thread; outlives its files. A failure names the path.
class Disk {
 public:
  enum class Open : unsigned char {
    read,    // not_found when it is not there
    write,   // and read; not_found when it is not there
    create,  // and write; made with mode 0600 when missing, emptied when not
  };
  // Value. A regular file in a directory.
  struct Entry {
    std::string name;
    std::uint64_t size = 0;
  };

  virtual ~Disk() = default;
  virtual Result<std::unique_ptr<DiskFile>> open(const std::string& path, Open how) = 0;
  // A file, made when missing, that nobody else has locked; the lock goes with it. Code::busy: somebody has.
  virtual Result<std::unique_ptr<DiskFile>> lock(const std::string& path) = 0;
  virtual Status remove(const std::string& path) = 0;  // of a file or an empty directory
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Result<std::vector<Entry>> files(const std::string& directory) = 0;
  virtual Result<std::vector<std::string>> directories(const std::string& directory) = 0;
  virtual Status make_directories(const std::string& path) = 0;           // 0700, with missing parents
  virtual Status sync_directory(const std::string& path) = 0;             // its names survive a power cut
  virtual Result<std::uint64_t> free_bytes(const std::string& path) = 0;  // that this user may fill
};

// Resource. The machine's own. Holds nothing. Symbolic links in a file's place are refused.
class RealDisk final : public Disk {
 public:
  Result<std::unique_ptr<DiskFile>> open(const std::string& path, Open how) override;
  Result<std::unique_ptr<DiskFile>> lock(const std::string& path) override;
  Status remove(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Result<std::vector<Entry>> files(const std::string& directory) override;
  Result<std::vector<std::string>> directories(const std::string& directory) override;
  Status make_directories(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::uint64_t> free_bytes(const std::string& path) override;
};

}  // namespace logweir
