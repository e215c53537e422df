// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace logweir::tcp_out {

struct HostPort {
  std::string host;
  int port = 0;
  [[nodiscard]] std::string text() const;  // "a:1", "[::1]:1"
};

// "a:1", "a" (with `default_port`), "[::1]:1".
Result<HostPort> parse_host_port(std::string_view text, int default_port);

// Value. Where to connect, best first. A round tries each once; it begins with the best, or behind one that took the
// connection but nothing else.
class Hosts {
 public:
  explicit Hosts(std::vector<HostPort> list) : list_(std::move(list)) {}
  [[nodiscard]] const HostPort& current() const { return list_[at_]; }
  // After the current one could not be reached: moves on. False when the round has tried all.
  bool next();
  // After a connection to the current one was lost; `was_good`: something had got through.
  void lost(bool was_good);

 private:
  std::vector<HostPort> list_;
  std::size_t at_ = 0;
  std::size_t tried_ = 0;  // in this round
};

}  // namespace logweir::tcp_out
