// SPDX-License-Identifier: Apache-2.0
#include "metrics/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <limits>

#include "base/fd.h"

namespace logweir {

namespace {

// Fields of /proc/self/stat, counted from the one after the command's closing parenthesis (proc(5) number minus 3).
constexpr int kStartTime = 19;
constexpr int kVirtualBytes = 20;
constexpr int kResidentPages = 21;

// Files of /proc are short and read in one go; what can't be read is empty.
std::string read_proc(const char* path) {
  const Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  std::array<char, 8192> text{};
  const ssize_t got = file ? ::read(file.get(), text.data(), text.size()) : 0;
  return {text.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

double number_at(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return static_cast<double>(value);
}

double stat_field(int field) {
  const std::string stat = read_proc("/proc/self/stat");
  std::string_view rest = stat;
  const auto command_end = rest.rfind(')');
  if (command_end == std::string_view::npos || command_end + 2 > rest.size()) return 0;
  rest.remove_prefix(command_end + 2);
  for (; field > 0; --field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return 0;
    rest.remove_prefix(space + 1);
  }
  return number_at(rest);
}

// Jiffies since boot, and when the machine booted.
double start_time() {
  constexpr std::string_view kKey = "\nbtime ";
  double boot = 0;
  const Fd file(::open("/proc/stat", O_RDONLY | O_CLOEXEC));
  std::string stat;
  std::array<char, 4096> part{};
  for (ssize_t got = 1; file && got > 0;) {
    got = ::read(file.get(), part.data(), part.size());
    if (got > 0) stat.append(part.data(), static_cast<std::size_t>(got));
  }
  if (const auto at = stat.find(kKey); at != std::string::npos) {
    boot = number_at(std::string_view(stat).substr(at + kKey.size()));
  }
  return boot + stat_field(kStartTime) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double open_fds() {
  struct stat info{};
  if (::stat("/proc/self/fd", &info) == 0 && info.st_size > 0) return static_cast<double>(info.st_size);  // Linux 6.2
  DIR* list = opendir("/proc/self/fd");
  if (list == nullptr) return 0;
  int count = -3;  // ".", ".." and the listing's own
  while (readdir(list) != nullptr) ++count;
  closedir(list);
  return count;
}

double max_fds() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? std::numeric_limits<double>::infinity()
                                         : static_cast<double>(limit.rlim_cur);
}

}  // namespace

void add_process_metrics(Metrics& metrics, std::string_view version) {
  metrics
      .gauge("logweir_build_info", "Always 1; the label says which version runs.", {{"version", std::string(version)}})
      .set(1);
  metrics.ask_total("process_cpu_seconds_total", "User and system time spent, in seconds.", {}, cpu_seconds);
  metrics.ask("process_resident_memory_bytes", "Resident memory, in bytes.", {},
              [] { return stat_field(kResidentPages) * static_cast<double>(sysconf(_SC_PAGESIZE)); });
  metrics.ask("process_virtual_memory_bytes", "Virtual memory, in bytes.", {},
              [] { return stat_field(kVirtualBytes); });
  metrics.ask("process_open_fds", "Open file descriptors.", {}, open_fds);
  metrics.ask("process_max_fds", "Most file descriptors that may be open.", {}, max_fds);
  metrics.ask("process_start_time_seconds", "When the process started, in seconds since the Unix epoch.", {},
              [started = start_time()] { return started; });
}

}  // namespace logweir
