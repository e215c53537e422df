// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/schema.h"
#include "plugins/inputs/tcp/framer.h"

namespace logweir::tcp_in {

enum class TcpInputFormat : int { json, none };

struct TcpInputOptions {
  std::string listen = "0.0.0.0";
  std::int64_t port = 5170;
  TcpInputFormat format = TcpInputFormat::json;
  std::string separator = "\\n";
  std::string chunk_size = "32";
  std::string buffer_size;
  std::string source_address_key;
  std::int64_t max_connections = 1024;
  Duration idle_timeout{0};
};

const Schema& tcp_input_schema();
// How the options say that messages are cut; a failure names the option.
Result<FramingRules> framing_of(const TcpInputOptions& options);

}  // namespace logweir::tcp_in
