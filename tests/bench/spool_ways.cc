// SPDX-License-Identifier: Apache-2.0
// Ways to get a group of batches onto the disk for good, on files of 8 MiB whose blocks are allocated: new ones, and
// one that was written before and is used again.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>

#include "spool/frame.h"
#include "spool/writer.h"
#include "tests/bench/net.h"
#include "tests/bench/spool_parts.h"

namespace logweir {
namespace {

using bench::must;

constexpr std::size_t kFile = 8 << 20;

struct Way {
  const char* name;
  int flags;
  bool syncs;  // by itself, behind the write
  bool maps;
  bool reuses;
};
constexpr std::array kWays = {
    Way{"write, fdatasync; new", 0, true, false, false},
    Way{"O_DSYNC; new", O_DSYNC, false, false, false},
    Way{"O_DIRECT, fdatasync; new", O_DIRECT, true, false, false},
    Way{"O_DIRECT, O_DSYNC; new", O_DIRECT | O_DSYNC, false, false, false},
    Way{"mmap, msync; new", 0, false, true, false},
    Way{"write, fdatasync; used again", 0, true, false, true},
    Way{"O_DSYNC; used again", O_DSYNC, false, false, true},
    Way{"O_DIRECT, fdatasync; used again", O_DIRECT, true, false, true},
    Way{"O_DIRECT, O_DSYNC; used again", O_DIRECT | O_DSYNC, false, false, true},
    Way{"mmap, msync; used again", 0, false, true, true},
};

struct Tally {
  std::vector<Nanos> times;
  Nanos sum = 0;
  double cpu = 0;
};

// Writes groups in one way. A new file's making is not counted: it is the same for all of them.
class Track {
 public:
  Track(const std::string& directory, const Way& way, std::size_t batch, int at_once)
      : way_(way), path_(directory + "/way"), size_(batch * static_cast<std::size_t>(at_once)) {
    source_.resize(size_, 'x');
    if ((way.flags & O_DIRECT) != 0) aligned_.reset(static_cast<char*>(std::aligned_alloc(4096, size_)));
    for (std::size_t at = 0; at < size_; at += batch) parts_.push_back({source_.data() + at, batch});
    path_ += std::to_string(&way - kWays.data());
  }
  ~Track() { close_file(); }
  Track(const Track&) = delete;
  Track& operator=(const Track&) = delete;
  Tally tally;

  void store() {
    if (fd_ < 0 || offset_ + size_ > kFile) next_file();
    const double cpu = processor_seconds();
    const Nanos began = SystemClock().mono();
    way_.maps ? through_map() : through_write();
    offset_ += size_;
    tally.times.push_back(SystemClock().mono() - began);
    tally.sum += tally.times.back();
    tally.cpu += processor_seconds() - cpu;
  }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  void through_write() {
    ssize_t wrote = 0;
    if (aligned_) {  // frames lie where they were encoded, so somebody has to bring them together
      char* at = aligned_.get();
      for (const iovec& part : parts_)
        at = static_cast<char*>(std::memcpy(at, part.iov_base, part.iov_len)) + part.iov_len;
      wrote = pwrite(fd_, aligned_.get(), size_, static_cast<off_t>(offset_));
    } else {
      wrote = pwritev(fd_, parts_.data(), static_cast<int>(parts_.size()), static_cast<off_t>(offset_));
    }
    must(wrote == static_cast<ssize_t>(size_) ? 0 : -1, "write");
    if (way_.syncs) must(fdatasync(fd_), "fdatasync");
  }

  void through_map() {
    char* at = map_ + offset_;
    for (const iovec& part : parts_)
      at = static_cast<char*>(std::memcpy(at, part.iov_base, part.iov_len)) + part.iov_len;
    must(msync(map_ + offset_, size_, MS_SYNC), "msync");
  }

  void next_file() {
    offset_ = 0;
    if (fd_ >= 0 && way_.reuses) return;
    close_file();
    fd_ = must(open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | way_.flags, 0600), "open");
    must(fallocate(fd_, 0, 0, kFile), "fallocate");
    if (way_.reuses) {
      const int plain = must(open(path_.c_str(), O_WRONLY), "open");
      bench::write_all(plain, std::string(kFile, '\0'));
      must(fsync(plain), "fsync");
      close(plain);
    }
    must(fsync(fd_), "fsync");
    if (way_.maps) {
      void* const map = mmap(nullptr, kFile, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
      must(map == MAP_FAILED ? -1 : 0, "mmap");
      map_ = static_cast<char*>(map);
    }
  }

  void close_file() {
    if (map_ != nullptr) munmap(map_, kFile);
    map_ = nullptr;
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  const Way way_;
  std::string path_;
  const std::size_t size_;
  std::string source_;
  std::unique_ptr<char, Free> aligned_;
  std::vector<iovec> parts_;
  int fd_ = -1;
  char* map_ = nullptr;
  std::size_t offset_ = 0;
};

}  // namespace

int bench_ways(const std::string& directory, std::size_t batch, int at_once, int rounds) {
  std::vector<std::unique_ptr<Track>> tracks;
  for (const Way& way : kWays) tracks.push_back(std::make_unique<Track>(directory, way, batch, at_once));
  constexpr int kTurn = 4;
  for (int i = 0; i < rounds; i += kTurn) {
    for (auto& track : tracks) {
      for (int turn = 0; turn < kTurn; ++turn) track->store();
    }
  }
  const double bytes = static_cast<double>(batch) * at_once;
  std::printf("{");
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    Tally& tally = tracks[i]->tally;
    const auto times = static_cast<double>(tally.times.size());
    const double rate = bytes * times / static_cast<double>(tally.sum) * 1e3;
    const double cpu = tally.cpu / times * 1e6;
    std::printf("%s\"%s\":{\"mb_s\":%.1f,\"p50\":%.3f,\"p99\":%.3f,\"cpu_us\":%.0f}", i == 0 ? "" : ",", kWays[i].name,
                rate, quantile(tally.times, 0.5), quantile(tally.times, 0.99), cpu);
  }
  std::printf("}\n");
  return 0;
}

}  // namespace logweir
