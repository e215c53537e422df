// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/tcp/hosts.h"

#include <fmt/format.h>

#include <charconv>

namespace logweir::tcp_out {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string HostPort::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Result<HostPort> parse_host_port(std::string_view text, int default_port) {
  text = trimmed(text);
  const auto wrong = [&] {
    return Status(Code::invalid,
                  fmt::format("\"{}\" is not a host; write name:port, address:port or [IPv6 address]:port, "
                              "with a port from 1 to 65535.",
                              text));
  };
  std::string_view host = text;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return wrong();
    host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos && text.find(':') == colon) {
    host = text.substr(0, colon);
    port = text.substr(colon);
  }
  int number = default_port;
  if (!port.empty()) {
    const auto [end, error] = std::from_chars(port.data() + 1, port.data() + port.size(), number);
    if (port.front() != ':' || error != std::errc() || end != port.data() + port.size()) return wrong();
  }
  if (host.empty() || host.find_first_of(" \t/") != std::string_view::npos || number < 1 || number > 65535) {
    return wrong();
  }
  return HostPort{std::string(host), number};
}

bool Hosts::next() {
  at_ = (at_ + 1) % list_.size();
  if (++tried_ < list_.size()) return true;
  at_ = tried_ = 0;
  return false;
}

void Hosts::lost(bool was_good) {
  at_ = was_good ? 0 : (at_ + 1) % list_.size();
  tried_ = 0;
}

}  // namespace logweir::tcp_out
