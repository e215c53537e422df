// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/encode_keys.h"
#include "plugin/outbox.h"
#include "plugin/output.h"
#include "plugins/outputs/stdout/channel.h"

namespace logweir::stdout_out {

enum class StdoutFormat : int { fluent, json_lines, raw, msgpack, json, json_stream };

struct StdoutOptions : EncodeKeys {
  StdoutFormat format = StdoutFormat::fluent;
};

// Resource. Prints records to a descriptor; a blocked reader makes the lane wait, never the loop.
class Printer {
 public:
  Printer(OutputServices& services, const StdoutOptions& options, int fd);
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  std::uint64_t send(const Shipment& shipment);

 private:
  bool flush();
  void writable();
  std::uint64_t settle_written();

  OutputHost& host_;
  Log log_;
  Loop& loop_;
  Outbox outbox_;
  Channel channel_;
  Timer timer_;              // ends waits that no event ends
  Status broken_;            // what the last write said
  bool owes_ready_ = false;  // the lane waits for `ready`
  LogLimit log_limit_;
};

}  // namespace logweir::stdout_out
