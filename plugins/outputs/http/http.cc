// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "plugin/entry.h"
#include "plugin/output.h"
#include "plugins/outputs/http/common.h"
#include "plugins/outputs/http/options.h"
#include "plugins/outputs/http/request.h"

namespace logweir {

namespace {

using http_out::Common;
using http_out::HttpOutputOptions;
using http_out::Request;

constexpr Nanos kNoMemoryWait = 5 * kMillisecond;

// Gives shipments to requests that are idle.
class Sender {
 public:
  Sender(OutputServices& services, const HttpOutputOptions& options, std::unique_ptr<HttpClient> client)
      : common_(services, options, std::move(client), http_out::servers_of(options).value(),
                http_out::headers_of(options).value()),
        later_(services.loop.timers(), [this] { pay_ready(); }) {
    common_.freed = [this] { pay_ready(); };
    for (std::int64_t i = 0; i < options.concurrency; ++i) requests_.push_back(std::make_unique<Request>(common_));
  }

  std::uint64_t send(const Shipment& shipment) {
    ShipmentCursor cursor(shipment);
    for (const auto& request : requests_) {
      if (cursor.at_end()) break;
      if (!request->idle()) continue;
      if (!request->take(cursor, shipment)) {
        later_.arm(common_.loop.now() + kNoMemoryWait, kMillisecond);
        break;
      }
    }
    owes_ready_ = !cursor.at_end();
    return cursor.taken();
  }

 private:
  // Last in every path: the lane may call `send` at once.
  void pay_ready() {
    if (std::exchange(owes_ready_, false)) common_.host.ready();
  }

  Common common_;
  std::vector<std::unique_ptr<Request>> requests_;
  Timer later_;
  bool owes_ready_ = false;  // the lane waits for `ready`
};

class HttpOutput final : public Output {
 public:
  explicit HttpOutput(OptionsPtr options) : options_(std::move(options)) {}

  Status open(OutputServices& services) override {
    const auto& options = *static_cast<const HttpOutputOptions*>(options_.get());
    if (const auto servers = http_out::servers_of(options); !servers.ok()) return servers.status();
    if (const auto headers = http_out::headers_of(options); !headers.ok()) return headers.status();
    auto client = HttpClient::open(services.loop, http_out::client_options(options));
    if (!client.ok()) return client.status();
    sender_ = std::make_unique<Sender>(services, options, std::move(client).value());
    return {};
  }
  std::uint64_t send(const Shipment& shipment) override { return sender_->send(shipment); }
  void close() override { sender_.reset(); }

 private:
  OptionsPtr options_;  // outlives sender_, which looks at it
  std::unique_ptr<Sender> sender_;
};

// "http:host:port/uri"
std::string destination(const void* options) {
  const auto& o = *static_cast<const HttpOutputOptions*>(options);
  std::string text = "http:";
  const auto servers = http_out::servers_of(o);
  if (!servers.ok()) return text;
  for (const HttpServerName& one : servers.value()) {
    if (&one != &servers.value().front()) text += ',';
    const std::string name = one.text();
    text += name.substr(name.find("://") + 3);
  }
  return text + http_out::uri_of(o);
}

}  // namespace

extern const OutputEntry kHttpOutput;
const OutputEntry kHttpOutput = {
    .name = "http",
    .summary = "Sends records in HTTP requests.",
    .schema = &http_out::http_output_schema(),
    .make_options = make_options_of<HttpOutputOptions>,
    .make = [](OptionsPtr options) -> std::unique_ptr<Output> {
      return std::make_unique<HttpOutput>(std::move(options));
    },
    .linger = 50 * kMillisecond,
    .destination = destination,
};

}  // namespace logweir
