// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"
#include "plugin/encode_keys.h"
#include "plugins/outputs/tcp/hosts.h"

namespace logweir::tcp_out {

enum class TcpFormat : int { json_lines, raw };
enum class TcpAck : int { kernel, none };

struct TcpOutputOptions : EncodeKeys {
  std::string host = "127.0.0.1";
  std::int64_t port = 5170;
  std::vector<std::string> hosts;
  TcpFormat format = TcpFormat::json_lines;
  std::string raw_message_key;
  TcpAck ack = TcpAck::kernel;
  Duration connect_timeout{10 * kSecond};
  bool tcp_keepalive = false;
  std::int64_t tcp_keepalive_time = -1;
  std::int64_t tcp_keepalive_interval = -1;
  std::int64_t tcp_keepalive_probes = -1;
  Duration io_timeout{0};
  bool tls = false;
};

const Schema& tcp_output_schema();
// `hosts`, else host and port. Parsed without a fault once the schema's check has passed.
Result<std::vector<HostPort>> hosts_of(const TcpOutputOptions& options);

}  // namespace logweir::tcp_out
