// SPDX-License-Identifier: Apache-2.0
#include "plugin/entry.h"
#include "plugin/output.h"
#include "plugins/outputs/tcp/link.h"
#include "plugins/outputs/tcp/options.h"

namespace logweir {

namespace {

using tcp_out::HostPort;
using tcp_out::Link;
using tcp_out::TcpOutputOptions;

class TcpOutput final : public Output {
 public:
  explicit TcpOutput(OptionsPtr options) : options_(std::move(options)) {}

  Status open(OutputServices& services) override {
    const auto& options = *static_cast<const TcpOutputOptions*>(options_.get());
    Result<std::vector<HostPort>> hosts = tcp_out::hosts_of(options);
    if (!hosts.ok()) return hosts.status();
    link_ = std::make_unique<Link>(services, options, std::move(hosts).value());
    return {};
  }
  std::uint64_t send(const Shipment& shipment) override { return link_->send(shipment); }
  void close() override { link_.reset(); }

 private:
  OptionsPtr options_;  // outlives link_, which looks at it
  std::unique_ptr<Link> link_;
};

std::string destination(const void* options) {
  std::string text = "tcp:";
  const auto hosts = tcp_out::hosts_of(*static_cast<const TcpOutputOptions*>(options));
  if (!hosts.ok()) return text;
  for (const HostPort& one : hosts.value()) {
    if (&one != &hosts.value().front()) text += ',';
    text += one.text();
  }
  return text;
}

}  // namespace

extern const OutputEntry kTcpOutput;
const OutputEntry kTcpOutput = {
    .name = "tcp",
    .summary = "Sends records over TCP, a line each.",
    .schema = &tcp_out::tcp_output_schema(),
    .make_options = make_options_of<TcpOutputOptions>,
    .make = [](OptionsPtr options) -> std::unique_ptr<Output> {
      return std::make_unique<TcpOutput>(std::move(options));
    },
    .destination = destination,
};

}  // namespace logweir
