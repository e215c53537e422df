// SPDX-License-Identifier: Apache-2.0
#include "app/limits.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "support/temp_directory.h"

namespace logweir {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// A machine made of files.
class Machine {
 public:
  Machine& file(const std::string& name, std::string_view text) {
    const std::filesystem::path path = root_.file(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return *this;
  }
  [[nodiscard]] MachineLimits limits(unsigned affinity = 8) const { return read_limits(root_.path(), affinity); }

 private:
  TempDirectory root_;
};

TEST_CASE("without control groups the machine is the limit") {
  Machine machine;
  machine.file("proc/meminfo", "MemFree: 1 kB\nMemTotal:        1048576 kB\n");
  CHECK(machine.limits().memory == 1024 * kMiB);
  CHECK(machine.limits().cpus == 8);
  CHECK(Machine().limits().memory == 0);
}

TEST_CASE("the least of a group and those above it is the limit") {
  Machine machine;
  machine.file("proc/meminfo", "MemTotal: 1048576 kB\n")
      .file("proc/self/cgroup", "0::/a/b\n")
      .file("sys/fs/cgroup/a/b/memory.max", "max\n")
      .file("sys/fs/cgroup/a/memory.max", "104857600\n")
      .file("sys/fs/cgroup/a/b/cpu.max", "250000 100000\n")
      .file("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  CHECK(machine.limits().memory == 100 * kMiB);
  CHECK(machine.limits().cpus == 3);
  CHECK(machine.limits(2).cpus == 2);
}

TEST_CASE("the older control groups are read too") {
  Machine machine;
  machine.file("proc/self/cgroup", "4:memory:/x\n1:cpu,cpuacct:/y\n0::/\n")
      .file("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "209715200\n")
      .file("sys/fs/cgroup/cpu/y/cpu.cfs_quota_us", "50000\n")
      .file("sys/fs/cgroup/cpu/y/cpu.cfs_period_us", "100000\n");
  CHECK(machine.limits().memory == 200 * kMiB);
  CHECK(machine.limits().cpus == 1);
}

TEST_CASE("files that make no sense limit nothing") {
  Machine machine;
  machine.file("proc/self/cgroup", "x\n0::a/../b\n::\n")
      .file("proc/meminfo", "MemTotal: many kB\n")
      .file("sys/fs/cgroup/memory.max", "99999999999999999999999\n")
      .file("sys/fs/cgroup/cpu.max", "5\n");
  CHECK(machine.limits().memory == 0);
  CHECK(machine.limits().cpus == 8);
}

TEST_CASE("the default limit is a quarter, within bounds") {
  CHECK(default_memory_limit(400 * kMiB) == 100 * kMiB);
  CHECK(default_memory_limit(64 * 1024 * kMiB) == 256 * kMiB);
  CHECK(default_memory_limit(20 * kMiB) == 16 * kMiB);
  CHECK(default_memory_limit(0) == 256 * kMiB);
}

TEST_CASE("what the service asks for goes before the machine") {
  ServiceOptions service;
  service.memory_limit = "64M";
  service.workers = "7";
  CHECK(memory_limit_of(service) == 64 * kMiB);
  CHECK(worker_count_of(service) == 7);
  service.workers = "auto";
  CHECK(worker_count_of(service) >= 1);
  for (const char* text : {"0", "-1", "257", "x", "", "1.5"}) CHECK_FALSE(parse_workers(text));
}

}  // namespace
}  // namespace logweir
