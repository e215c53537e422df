// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/disk.h"

namespace logweir {

// Another disk, for several threads, behind two gates: a test decides when the committer and when the job threads get
// on. The thread that made it always may.
class GatedDisk final : public Disk {
 public:
  enum class Who : unsigned char { committer, jobs };

  explicit GatedDisk(Disk& disk) : disk_(disk) {}
  void set_open(Who who, bool open) {
    const std::lock_guard lock(mutex_);
    (who == Who::committer ? committer_may_ : jobs_may_) = open;
    moved_.notify_all();
  }

  Result<std::unique_ptr<DiskFile>> open(const std::string& path, Open how) override {
    return wrapped([&] { return disk_.open(path, how); });
  }
  Result<std::unique_ptr<DiskFile>> lock(const std::string& path) override {
    return wrapped([&] { return disk_.lock(path); });
  }
  Status remove(const std::string& path) override {
    return pass([&] { return disk_.remove(path); });
  }
  Status rename(const std::string& from, const std::string& to) override {
    return pass([&] { return disk_.rename(from, to); });
  }
  Result<std::vector<Entry>> files(const std::string& directory) override {
    return pass([&] { return disk_.files(directory); });
  }
  Result<std::vector<std::string>> directories(const std::string& directory) override {
    return pass([&] { return disk_.directories(directory); });
  }
  Status make_directories(const std::string& path) override {
    return pass([&] { return disk_.make_directories(path); });
  }
  Status sync_directory(const std::string& path) override {
    return pass([&] { return disk_.sync_directory(path); });
  }
  Result<std::uint64_t> free_bytes(const std::string& path) override {
    return pass([&] { return disk_.free_bytes(path); });
  }

 private:
  class Handle final : public DiskFile {
   public:
    Handle(GatedDisk& disk, std::unique_ptr<DiskFile> file) : disk_(disk), file_(std::move(file)) {}
    Status write(std::span<const iovec> parts, std::uint64_t offset) override {
      return disk_.pass([&] { return file_->write(parts, offset); });
    }
    Result<std::size_t> read(char* into, std::size_t size, std::uint64_t offset) override {
      return disk_.pass([&] { return file_->read(into, size, offset); });
    }
    Status sync() override {
      return disk_.pass([&] { return file_->sync(); });
    }
    Status allocate(std::uint64_t size) override {
      return disk_.pass([&] { return file_->allocate(size); });
    }
    Status truncate(std::uint64_t size) override {
      return disk_.pass([&] { return file_->truncate(size); });
    }

   private:
    GatedDisk& disk_;
    std::unique_ptr<DiskFile> file_;
  };

  [[nodiscard]] bool may() const {
    if (std::this_thread::get_id() == maker_) return true;
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return std::string_view(name) == "committer" ? committer_may_ : jobs_may_;
  }
  template <typename Call>
  auto pass(Call call) -> decltype(call()) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [this] { return may(); });
    return call();
  }
  template <typename Call>
  Result<std::unique_ptr<DiskFile>> wrapped(Call call) {
    auto file = pass(call);
    if (!file.ok()) return file.status();
    return std::unique_ptr<DiskFile>(std::make_unique<Handle>(*this, std::move(file).value()));
  }

  Disk& disk_;
  const std::thread::id maker_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable moved_;
  bool committer_may_ = true;
  bool jobs_may_ = true;
};

}  // namespace logweir
