// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/tcp/options.h"

#include <array>

namespace logweir::tcp_out {

namespace {

using O = TcpOutputOptions;

constexpr std::array kOptions = {
    option<&O::host>("host", "127.0.0.1", "Name or address of the peer.", kIdentity),
    option<&O::port>("port", "5170", "Port of the peer.", kIdentity, "1..65535"),
    option<&O::hosts>("hosts", "",
                      "Peers in order of preference, each host:port, instead of host and port. When one can't be "
                      "reached the next is tried.",
                      kIdentity | kCommaList),
    option<&O::format>("format", "json_lines",
                       "json_lines: a JSON object per line. raw: the record's text and a newline.", 0,
                       "json_lines|raw"),
    kJsonDateKey,
    kJsonDateFormat,
    option<&O::raw_message_key>("raw_message_key", "", "Send only this field of each record, as it is, and a newline."),
    option<&O::ack>(
        "ack", "kernel",
        "When a record counts as delivered. kernel: when the peer's kernel has acknowledged its last byte; "
        "what was not is sent again after a reset. That proves that the peer's machine has it, not that its "
        "program has read it. none: when our own kernel has taken it.",
        0, "kernel|none"),
    option<&O::connect_timeout>("net.connect_timeout", "10s", "How long to wait for a connection."),
    option<&O::tcp_keepalive>("net.tcp_keepalive", "off", "Let the kernel probe an idle connection."),
    option<&O::tcp_keepalive_time>("net.tcp_keepalive_time", "-1",
                                   "Seconds of idleness before the first probe; -1: the system's."),
    option<&O::tcp_keepalive_interval>("net.tcp_keepalive_interval", "-1", "Seconds between probes; -1: the system's."),
    option<&O::tcp_keepalive_probes>("net.tcp_keepalive_probes", "-1",
                                     "Unanswered probes before the connection is given up; -1: the system's."),
    option<&O::io_timeout>("net.io_timeout", "0",
                           "Give a connection up when the peer has acknowledged nothing for so long while data is out; "
                           "0: as long as the system does (about 15 minutes)."),
    option<&O::tls>("tls", "off", "Not there yet: on is refused, so that nothing is sent in the clear by mistake."),
};

constexpr std::array<std::string_view, 24> kKnown = {
    "net.dns.mode",
    "net.dns.resolver",
    "net.dns.prefer_ipv4",
    "net.dns.prefer_ipv6",
    "net.keepalive",
    "net.keepalive_idle_timeout",
    "net.keepalive_max_recycle",
    "net.source_address",
    "net.max_worker_connections",
    "net.proxy_env_ignore",
    "net.connect_timeout_log_error",
    "tls.verify",
    "tls.verify_hostname",
    "tls.debug",
    "tls.vhost",
    "tls.ca_path",
    "tls.ca_file",
    "tls.crt_file",
    "tls.key_file",
    "tls.key_passwd",
    "tls.min_version",
    "tls.max_version",
    "tls.ciphers",
    "upstream",
};

void check(const void* options, const Node& node, Problems& problems) {
  const auto& o = *static_cast<const O*>(options);
  check_encode_keys(o, node, problems);
  if (o.tls) {
    problems.error(place_of(node, "tls"),
                   "tls is on, but the tcp output can't do TLS yet; nothing would be encrypted. Leave it off, or send "
                   "through a local TLS proxy.");
  }
  if (const auto hosts = hosts_of(o); !hosts.ok()) {
    problems.error(place_of(node, o.hosts.empty() ? "host" : "hosts"), hosts.status().message());
  }
  if (!o.hosts.empty() && (has_key(node, "host") || has_key(node, "port"))) {
    problems.warning(place_of(node, "hosts"), "hosts is given, so that host is not used; port is its default port.");
  }
  if (o.connect_timeout.value <= 0) {
    problems.error(place_of(node, "net.connect_timeout"), "net.connect_timeout must be more than 0.");
  }
}

constexpr Schema kSchema = {kOptions, kKnown, check};

}  // namespace

const Schema& tcp_output_schema() { return kSchema; }

Result<std::vector<HostPort>> hosts_of(const TcpOutputOptions& options) {
  std::vector<HostPort> list;
  if (options.hosts.empty()) {
    if (options.host.empty() || options.port < 1 || options.port > 65535) {
      return Status(Code::invalid, "host must not be empty and port must be from 1 to 65535.");
    }
    list.push_back({options.host, static_cast<int>(options.port)});
    return list;
  }
  for (const std::string& text : options.hosts) {
    Result<HostPort> one = parse_host_port(text, static_cast<int>(options.port));
    if (!one.ok()) return one.status();
    list.push_back(std::move(one).value());
  }
  return list;
}

}  // namespace logweir::tcp_out
