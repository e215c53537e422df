// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/disk.h"

namespace logweir {

// Resource. The machine's own disk, each of whose syncs takes longer by `delay`; keeps how long they took. One thread
// at a time.
class TimedDisk final : public Disk {
 public:
  explicit TimedDisk(Nanos delay) : delay_(delay) {}
  std::vector<Nanos> syncs;

  Result<std::unique_ptr<DiskFile>> open(const std::string& path, Open how) override {
    return wrapped(real_.open(path, how));
  }
  Result<std::unique_ptr<DiskFile>> lock(const std::string& path) override { return real_.lock(path); }
  Status remove(const std::string& path) override { return real_.remove(path); }
  Status rename(const std::string& from, const std::string& to) override { return real_.rename(from, to); }
  Result<std::vector<Entry>> files(const std::string& directory) override { return real_.files(directory); }
  Result<std::vector<std::string>> directories(const std::string& directory) override {
    return real_.directories(directory);
  }
  Status make_directories(const std::string& path) override { return real_.make_directories(path); }
  Status sync_directory(const std::string& path) override { return real_.sync_directory(path); }
  Result<std::uint64_t> free_bytes(const std::string& path) override { return real_.free_bytes(path); }

 private:
  class File final : public DiskFile {
   public:
    File(TimedDisk& disk, std::unique_ptr<DiskFile> real) : disk_(disk), real_(std::move(real)) {}
    Status write(std::span<const iovec> parts, std::uint64_t offset) override { return real_->write(parts, offset); }
    Result<std::size_t> read(char* into, std::size_t size, std::uint64_t offset) override {
      return real_->read(into, size, offset);
    }
    Status allocate(std::uint64_t size) override { return real_->allocate(size); }
    Status truncate(std::uint64_t size) override { return real_->truncate(size); }
    Status sync() override {
      const Nanos began = SystemClock().mono();
      if (disk_.delay_ > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(disk_.delay_));
      Status status = real_->sync();
      disk_.syncs.push_back(SystemClock().mono() - began);
      return status;
    }

   private:
    TimedDisk& disk_;
    std::unique_ptr<DiskFile> real_;
  };

  Result<std::unique_ptr<DiskFile>> wrapped(Result<std::unique_ptr<DiskFile>> file) {
    if (!file.ok()) return file;
    return std::unique_ptr<DiskFile>(std::make_unique<File>(*this, std::move(file).value()));
  }

  RealDisk real_;
  const Nanos delay_;
};

}  // namespace logweir
