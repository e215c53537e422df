// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace logweir {

// Value. What Prometheus's own checker says of a metrics page.
struct PromtoolVerdict {
  bool present = false;  // promtool is installed
  bool accepted = false;
  std::string said;
};

inline PromtoolVerdict promtool_check(std::string_view page) {
  PromtoolVerdict verdict;
  verdict.present = std::system("command -v promtool >/dev/null 2>&1") == 0;
  if (!verdict.present) return verdict;
  std::string path = "/tmp/logweir-metrics-XXXXXX";
  const int file = ::mkstemp(path.data());
  if (file < 0) return verdict;
  const bool written = ::write(file, page.data(), page.size()) == static_cast<ssize_t>(page.size());
  ::close(file);
  FILE* tool = ::popen(("promtool check metrics 2>&1 < " + path).c_str(), "r");
  std::array<char, 4096> part{};
  while (tool != nullptr && std::fgets(part.data(), part.size(), tool) != nullptr) verdict.said += part.data();
  verdict.accepted = written && tool != nullptr && ::pclose(tool) == 0;
  ::unlink(path.c_str());
  return verdict;
}

}  // namespace logweir
