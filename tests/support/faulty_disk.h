// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.h"

namespace logweir {

// A file system in memory that behaves as badly as a real one may. What is not synced may be lost, kept, or kept in
// part sector by sector when the power goes; names likewise until their directory is synced, in the order they were
// changed. After a sync failed, what was to be synced counts as clean, on disk or not.
class FaultyDisk final : public Disk {
 public:
  static constexpr std::size_t kSector = 512;

  explicit FaultyDisk(std::uint32_t seed) : random_(seed) {}

  // From now on each call fails one in so many times, 0: never. A failed write may have written any part from its
  // front.
  void fail_one_in(std::uint32_t changes, std::uint32_t reads) {
    change_faults_ = changes;
    read_faults_ = reads;
  }
  void fail_file_reads(bool fail) { file_reads_fail_ = fail; }
  // The power goes in the middle of the n-th change from now: all fails from then on, until `crash`.
  void cut_power_after(int changes) { until_cut_ = changes; }
  void crash();
  [[nodiscard]] bool is_dead() const { return dead_; }  // the power went and `crash` was not called yet
  // Turns one bit of a file that is at rest.
  void flip(const std::string& path, std::size_t at, unsigned bit) {
    File& file = *names_.at(path);
    file.now[at] = static_cast<char>(file.now[at] ^ (1U << bit));
    if (at < file.disk.size()) file.disk[at] = static_cast<char>(file.disk[at] ^ (1U << bit));
  }
  [[nodiscard]] std::uint64_t used() const {
    std::uint64_t sum = 0;
    for (const auto& [path, file] : names_) sum += file->now.size();
    return sum;
  }
  void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }

  Result<std::unique_ptr<DiskFile>> open(const std::string& path, Open how) override;
  Result<std::unique_ptr<DiskFile>> lock(const std::string& path) override { return open(path, Open::create); }
  Status remove(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Result<std::vector<Entry>> files(const std::string& directory) override;
  Result<std::vector<std::string>> directories(const std::string& directory) override;
  Status make_directories(const std::string&) override { return {}; }
  Status sync_directory(const std::string& path) override;
  Result<std::uint64_t> free_bytes(const std::string&) override { return capacity_ - std::min(capacity_, used()); }

 private:
  struct File {
    std::string now;   // what reads see
    std::string disk;  // what is sure to survive
    std::set<std::size_t> dirty;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;
  class Handle;

  bool one_in(std::uint32_t n) { return n != 0 && random_() % n == 0; }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  Status fault(const std::string& what) { return Status::from_errno(one_in(2) ? ENOSPC : EIO, what); }
  // Whether a change goes wrong now. `partly`: it should leave something of itself.
  bool change_fails() {
    if (dead_) return true;
    if (until_cut_ > 0 && --until_cut_ == 0) return dead_ = true;
    return one_in(change_faults_);
  }
  void keep_some(File& file);
  static void copy_sector(const std::string& from, std::string& to, std::size_t sector);
  static void mark(File& file, std::size_t begin, std::size_t end) {
    for (std::size_t s = begin / kSector; s * kSector < end; ++s) file.dirty.insert(s);
  }

  std::mt19937 random_;
  std::uint32_t change_faults_ = 0;
  std::uint32_t read_faults_ = 0;
  int until_cut_ = 0;
  bool file_reads_fail_ = false;
  bool dead_ = false;
  std::uint64_t capacity_ = std::uint64_t{1} << 40;
  Names names_;
  Names durable_;
  std::vector<std::function<void(Names&)>> renames_;  // changes of names since the directory was synced
};

class FaultyDisk::Handle final : public DiskFile {
 public:
  Handle(FaultyDisk& disk, std::shared_ptr<File> file) : disk_(disk), file_(std::move(file)) {}

  Status write(std::span<const iovec> parts, std::uint64_t offset) override {
    std::string bytes;
    for (const iovec& part : parts) bytes.append(static_cast<const char*>(part.iov_base), part.iov_len);
    const bool was_dead = disk_.dead_;
    const bool fails = disk_.change_fails();
    if (was_dead) return disk_.fault("write");
    if (fails) bytes.resize(disk_.below(bytes.size() + 1));
    if (!bytes.empty()) {
      if (file_->now.size() < offset + bytes.size()) file_->now.resize(offset + bytes.size());
      std::copy(bytes.begin(), bytes.end(), file_->now.begin() + static_cast<std::ptrdiff_t>(offset));
      mark(*file_, offset, offset + bytes.size());
    }
    return fails ? disk_.fault("write") : Status();
  }
  Result<std::size_t> read(char* into, std::size_t size, std::uint64_t offset) override {
    if (disk_.file_reads_fail_ || disk_.dead_ || disk_.one_in(disk_.read_faults_)) {
      return Status::from_errno(EIO, "read");
    }
    const std::size_t there = file_->now.size() - std::min<std::size_t>(file_->now.size(), offset);
    const std::size_t got = std::min(size, there);
    if (got > 0) std::memcpy(into, file_->now.data() + offset, got);
    return got;
  }
  Status sync() override {
    const bool was_dead = disk_.dead_;
    if (disk_.change_fails()) {
      if (!was_dead) disk_.keep_some(*file_);
      return Status::from_errno(EIO, "sync");
    }
    file_->disk.resize(file_->now.size());
    for (const std::size_t sector : file_->dirty) copy_sector(file_->now, file_->disk, sector);
    file_->dirty.clear();
    return {};
  }
  Status allocate(std::uint64_t size) override { return resize(size, "allocate"); }
  Status truncate(std::uint64_t size) override { return resize(size, "truncate"); }

 private:
  Status resize(std::uint64_t size, const char* what) {
    if (disk_.change_fails()) return disk_.fault(what);
    if (size > file_->now.size() && disk_.used() + size - file_->now.size() > disk_.capacity_) {
      return Status::from_errno(ENOSPC, what);
    }
    mark(*file_, std::min<std::size_t>(size, file_->now.size()), std::max<std::size_t>(size, file_->now.size()));
    file_->now.resize(size);
    return {};
  }

  FaultyDisk& disk_;
  std::shared_ptr<File> file_;
};

inline void FaultyDisk::copy_sector(const std::string& from, std::string& to, std::size_t sector) {
  const std::size_t begin = sector * kSector;
  const std::size_t end = std::min({begin + kSector, from.size(), to.size()});
  if (begin < end) std::memcpy(to.data() + begin, from.data() + begin, end - begin);
}

// Some of the dirty sectors reach the disk, and perhaps the new size; none is dirty any more.
inline void FaultyDisk::keep_some(File& file) {
  if (one_in(2)) file.disk.resize(file.now.size());
  for (const std::size_t sector : file.dirty) {
    if (one_in(2)) copy_sector(file.now, file.disk, sector);
  }
  file.dirty.clear();
}

inline void FaultyDisk::crash() {
  const std::size_t kept = below(renames_.size() + 1);
  for (std::size_t i = 0; i != kept; ++i) renames_[i](durable_);
  renames_.clear();
  names_ = durable_;
  for (const auto& [path, file] : names_) {
    keep_some(*file);
    file->now = file->disk;
  }
  dead_ = false;
  until_cut_ = 0;
}

inline Result<std::unique_ptr<DiskFile>> FaultyDisk::open(const std::string& path, Open how) {
  if (dead_ || (how != Open::create && one_in(read_faults_))) return Status::from_errno(EIO, "open " + path);
  if (how == Open::create && change_fails()) return fault("create " + path);
  auto found = names_.find(path);
  if (found == names_.end()) {
    if (how != Open::create) return Status::from_errno(ENOENT, "open " + path);
    auto file = std::make_shared<File>();
    found = names_.emplace(path, file).first;
    renames_.emplace_back([path, file](Names& names) { names[path] = file; });
  } else if (how == Open::create) {
    mark(*found->second, 0, found->second->now.size());
    found->second->now.clear();
  }
  return std::unique_ptr<DiskFile>(std::make_unique<Handle>(*this, found->second));
}

inline Status FaultyDisk::remove(const std::string& path) {
  if (change_fails()) return Status::from_errno(EIO, "remove " + path);
  if (names_.erase(path) == 0) return Status::from_errno(ENOENT, "remove " + path);
  renames_.emplace_back([path](Names& names) { names.erase(path); });
  return {};
}

inline Status FaultyDisk::rename(const std::string& from, const std::string& to) {
  if (change_fails()) return fault("rename " + from);
  const auto change = [from, to](Names& names) {
    const auto found = names.find(from);
    if (found == names.end()) return;
    auto file = found->second;
    names.erase(found);
    names[to] = file;
  };
  if (names_.count(from) == 0) return Status::from_errno(ENOENT, "rename " + from);
  change(names_);
  renames_.emplace_back(change);
  return {};
}

inline Result<std::vector<Disk::Entry>> FaultyDisk::files(const std::string& directory) {
  if (dead_ || one_in(read_faults_)) return Status::from_errno(EIO, "list " + directory);
  std::vector<Entry> entries;
  for (const auto& [path, file] : names_) {
    if (path.compare(0, directory.size() + 1, directory + "/") != 0) continue;
    entries.push_back({path.substr(directory.size() + 1), file->now.size()});
  }
  return entries;
}

inline Result<std::vector<std::string>> FaultyDisk::directories(const std::string& directory) {
  if (dead_ || one_in(read_faults_)) return Status::from_errno(EIO, "list " + directory);
  std::set<std::string> found;
  for (const auto& [path, file] : names_) {
    if (path.compare(0, directory.size() + 1, directory + "/") != 0) continue;
    const std::size_t end = path.find('/', directory.size() + 1);
    if (end != std::string::npos) found.insert(path.substr(directory.size() + 1, end - directory.size() - 1));
  }
  return std::vector<std::string>(found.begin(), found.end());
}

inline Status FaultyDisk::sync_directory(const std::string& path) {
  if (change_fails()) return Status::from_errno(EIO, "sync " + path);
  durable_ = names_;
  renames_.clear();
  return {};
}

}  // namespace logweir
