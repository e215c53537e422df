// SPDX-License-Identifier: Apache-2.0
#include "app/limits.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace logweir {
namespace {

constexpr std::uint64_t kMostByDefault = std::uint64_t{256} << 20;
constexpr std::uint64_t kLeastByDefault = std::uint64_t{16} << 20;  // on a machine too small to divide by four

std::optional<std::uint64_t> number_of(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// The words of a small file's first line.
std::vector<std::string> words_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; words.size() < 8 && stream >> word;) words.push_back(word);
  return words;
}

struct Groups {
  std::string unified = "/";  // cgroup v2
  std::string memory = "/";   // v1
  std::string cpu = "/";
};

Groups groups_of(const std::string& root) {
  Groups groups;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // hierarchy:controllers:path
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") groups.unified = path;
    if (controllers.find(",memory,") != std::string::npos) groups.memory = path;
    if (controllers.find(",cpu,") != std::string::npos) groups.cpu = path;
  }
  return groups;
}

// Calls look(folder) for the group and all above it, since each of them limits.
template <typename Look>
void for_each_level(const std::string& mount, std::string group, Look look) {
  for (int level = 0; level < 64; ++level) {
    look(mount + (group == "/" ? std::string() : group));
    if (group == "/" || group.empty()) return;
    group = group.substr(0, group.rfind('/'));
    if (group.empty()) group = "/";
  }
}

std::uint64_t machine_memory(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream stream(line);
    std::string key, value;
    stream >> key >> value;
    if (key == "MemTotal:") return number_of(value).value_or(0) * 1024;
  }
  return 0;
}

std::uint64_t least_memory(const std::string& root, const Groups& groups) {
  std::uint64_t least = machine_memory(root);
  const auto lower = [&](const std::string& path) {
    const std::vector<std::string> words = words_of(path);
    const std::optional<std::uint64_t> limit = words.empty() ? std::nullopt : number_of(words[0]);  // else "max"
    if (limit && *limit > 0 && (least == 0 || *limit < least)) least = *limit;
  };
  for_each_level(root + "/sys/fs/cgroup", groups.unified, [&](const std::string& at) { lower(at + "/memory.max"); });
  for_each_level(root + "/sys/fs/cgroup/memory", groups.memory,
                 [&](const std::string& at) { lower(at + "/memory.limit_in_bytes"); });
  return least;
}

unsigned least_cpus(const std::string& root, const Groups& groups, unsigned affinity) {
  std::uint64_t least = std::max(affinity, 1U);
  const auto lower = [&](const std::string& quota, const std::string& period) {
    const std::optional<std::uint64_t> time = number_of(quota);  // "max" and -1 are no limit
    const std::optional<std::uint64_t> of = number_of(period);
    if (!time || !of || *of == 0 || *time == 0) return;
    least = std::min(least, (*time - 1) / *of + 1);
  };
  for_each_level(root + "/sys/fs/cgroup", groups.unified, [&](const std::string& at) {
    const std::vector<std::string> words = words_of(at + "/cpu.max");
    if (words.size() >= 2) lower(words[0], words[1]);
  });
  for_each_level(root + "/sys/fs/cgroup/cpu", groups.cpu, [&](const std::string& at) {
    const std::vector<std::string> quota = words_of(at + "/cpu.cfs_quota_us");
    const std::vector<std::string> period = words_of(at + "/cpu.cfs_period_us");
    if (!quota.empty() && !period.empty()) lower(quota[0], period[0]);
  });
  return static_cast<unsigned>(least);
}

unsigned own_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
}

}  // namespace

MachineLimits read_limits(const std::string& root, unsigned affinity) {
  const Groups groups = groups_of(root);
  return {least_memory(root, groups), least_cpus(root, groups, affinity)};
}

std::uint64_t default_memory_limit(std::uint64_t memory) {
  if (memory == 0) return kMostByDefault;
  return std::clamp(memory / 4, kLeastByDefault, kMostByDefault);
}

std::uint64_t memory_limit_of(const ServiceOptions& service) {
  if (const auto given = parse_size(service.memory_limit); given) return *given;
  return default_memory_limit(read_limits("", 1).memory);
}

std::optional<unsigned> parse_workers(const std::string& text) {
  if (same_key(text, "auto")) return 0;
  const std::optional<std::uint64_t> count = number_of(text);
  if (!count || *count < 1 || *count > kMostWorkers) return std::nullopt;
  return static_cast<unsigned>(*count);
}

unsigned worker_count_of(const ServiceOptions& service) {
  const unsigned count = parse_workers(service.workers).value_or(1);
  if (count > 0) return count;
  return std::min(read_limits("", own_affinity()).cpus, kMostWorkers);
}

}  // namespace logweir
