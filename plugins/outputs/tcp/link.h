// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "loop/dial.h"
#include "loop/stream.h"
#include "plugin/outbox.h"
#include "plugin/output.h"
#include "plugins/outputs/tcp/hosts.h"
#include "plugins/outputs/tcp/options.h"

namespace logweir::tcp_out {

// Resource. One peer at a time: dials when there is something to send, writes shipments, and settles records as their
// bytes are acknowledged.
//
// `ack: kernel`: bytes written so far less SIOCOUTQ is what the peer's kernel has acknowledged. It is looked at after
// each write and, only while bytes are out, by a timer that slows down when the peer does not read.
class Link final : private StreamReader {
 public:
  Link(OutputServices& services, const TcpOutputOptions& options, std::vector<HostPort> hosts);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() override;

  std::uint64_t send(const Shipment& shipment);

 private:
  // StreamReader: the peer says nothing that we want to know, but its end must be noticed even when we are idle.
  std::span<char> space() override { return scratch_; }
  void received(std::size_t) override {}
  void ended(Status why) override;

  void dial();
  void dialled(Result<std::unique_ptr<Stream>> result);
  void set_socket_options();
  bool flush();
  void writable(const Status& status);
  [[nodiscard]] std::uint64_t acknowledged() const;
  void settle_acknowledged();
  void lost(std::string_view reason, const Status& why);
  void later();
  void pay_ready();

  Loop& loop_;
  OutputHost& host_;
  Log log_;
  const TcpOutputOptions& options_;
  Hosts hosts_;
  Outbox outbox_;
  Counter& connects_;
  Counter& losses_;
  Gauge& connected_;
  Timer ack_timer_;
  Timer later_timer_;  // what must not happen inside `send`
  std::unique_ptr<Dial> dial_;
  std::unique_ptr<Stream> stream_;  // null: not connected
  Status broken_;                   // a write failed; `later` gives the connection up
  Nanos ack_wait_ = 0;
  bool owes_ready_ = false;   // the lane waits for `ready`
  bool got_through_ = false;  // something was acknowledged on this connection
  bool was_failing_ = false;
  LogLimit failing_log_;
  LogLimit lost_log_;
  std::array<char, 1024> scratch_;
};

}  // namespace logweir::tcp_out
