// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "codec/parser_options.h"
#include "loop/listener.h"
#include "plugin/entry.h"
#include "plugin/input.h"
#include "plugins/inputs/tcp/connection.h"
#include "plugins/inputs/tcp/options.h"

namespace logweir {

namespace {

using tcp_in::Connection;
using tcp_in::Framer;
using tcp_in::FramingRules;
using tcp_in::TcpInputFormat;
using tcp_in::TcpInputOptions;
using tcp_in::Unfinished;

// Messages whose end has not come hold at most this part of the memory limit, all workers together.
constexpr std::uint64_t kUnfinishedShare = 4;
constexpr std::string_view kPrefix = "logweir_input_tcp_";

// A worker's share; at most half of the descriptors this process may have, so that outputs, files and the admin port
// keep theirs.
std::size_t most_connections(std::size_t wanted, std::size_t workers) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) wanted = std::min<std::size_t>(wanted, files.rlim_cur / 2);
  return std::max<std::size_t>(1, (wanted + workers - 1) / workers);
}

// Everything that lives from open to close.
class Port {
 public:
  Port(const InputServices& services, const TcpInputOptions& options, FramingRules rules)
      : options_(options),
        rules_(std::move(rules)),
        services_(services),
        most_(most_connections(static_cast<std::size_t>(options.max_connections), services.workers)),
        open_(gauge("connections", "Connections open now")),
        accepted_(counter("accepted_total", "Connections accepted")),
        parse_failed_(services.metrics.counter("logweir_parse_failed_records_total",
                                               "Records that no parser took; they are kept as they came", labels())),
        refused_(counter("refused_total", "Connections closed at once, since max_connections was reached")),
        unfinished_(services.intake.memory_limit() / kUnfinishedShare / services.workers,
                    [this](const Framer& oldest) { tell_cut(oldest); }) {}
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port();

  Status listen();
  void pause();
  void resume();

 private:
  [[nodiscard]] Labels labels() const { return {{"input", services_.name}}; }
  Gauge& gauge(std::string_view name, std::string_view help) {
    return services_.metrics.gauge(std::string(kPrefix).append(name), help, labels());
  }
  Counter& counter(std::string_view name, std::string_view help) {
    return services_.metrics.counter(std::string(kPrefix).append(name), help, labels());
  }
  void accept(std::unique_ptr<Stream> stream);
  void tell_cut(const Framer& oldest);
  [[nodiscard]] OriginRef origin_for(const Stream& stream) const;
  void ended(Connection& connection, std::string_view why);

  const TcpInputOptions& options_;
  const FramingRules rules_;
  InputServices services_;
  const std::size_t most_;
  Gauge& open_;
  Counter& accepted_;
  Counter& parse_failed_;
  Counter& refused_;
  OriginRef origin_;  // of all connections, unless each has its address in it
  std::unique_ptr<Decoder> decoder_;
  ChunkRef reading_;
  Unfinished unfinished_;
  std::unique_ptr<Listener> listener_;
  std::vector<std::unique_ptr<Connection>> connections_;
  bool paused_ = false;
  LogLimit refused_log_;
  LogLimit trouble_log_;
  LogLimit cut_log_;
};

Status Port::listen() {
  if (options_.format == TcpInputFormat::json) {
    ParserOptions json;
    json.format = "json";
    Result<std::unique_ptr<Decoder>> decoder = make_decoder(json);
    if (!decoder.ok()) return decoder.status();
    decoder_ = std::move(decoder).value();
  }
  Origin origin;
  origin.tag = services_.intake.tag(services_.tag);
  origin_ = OriginRef::make(std::move(origin));
  Listener::Options options;
  options.host = options_.listen;
  options.port = static_cast<int>(options_.port);
  options.shared = services_.workers > 1;
  options.trouble = [this](const Status& why) {
    if (const auto n = trouble_log_.pass(services_.loop.now())) {
      services_.log.warn("connections have to wait: {} ({} times since the last such line)", why.message(), *n);
    }
  };
  auto listener =
      Listener::open(services_.loop, options, [this](std::unique_ptr<Stream> stream) { accept(std::move(stream)); });
  if (!listener.ok()) return listener.status();
  listener_ = std::move(listener).value();
  services_.log.info("listening on {}:{}", options_.listen, listener_->port());
  return {};
}

void Port::accept(std::unique_ptr<Stream> stream) {
  if (connections_.size() >= most_) {
    refused_.add(1);
    if (const auto n = refused_log_.pass(services_.loop.now())) {
      services_.log.warn("refused {}: all {} connections are in use ({} refused since the last such line)",
                         stream->peer(), most_, *n);
    }
    return;
  }
  accepted_.add(1);
  open_.add(1);
  services_.log.debug("{} connected", stream->peer());
  Framer::Setup framing{services_.intake,
                        rules_,
                        services_.loop.clock(),
                        origin_for(*stream),
                        services_.intake.open_source({0, 0, stream->peer()}),
                        unfinished_,
                        stream->peer(),
                        decoder_.get(),
                        &parse_failed_};
  Connection::Setup setup{services_.loop, reading_, options_.idle_timeout.value,
                          [this](Connection& connection, std::string_view why) { ended(connection, why); }};
  auto connection = std::make_unique<Connection>(std::move(setup), std::move(framing), std::move(stream));
  if (paused_) connection->pause();
  connection->index = connections_.size();
  connections_.push_back(std::move(connection));
}

void Port::tell_cut(const Framer& oldest) {
  const auto n = cut_log_.pass(services_.loop.now());
  if (!n) return;
  services_.log.warn(
      "messages whose end has not come hold {} of the {} bytes they may: the oldest, {} bytes from {}, is passed on as "
      "it is, marked as cut, and its rest is passed over ({} such messages since the last such line)",
      unfinished_.bytes(), unfinished_.most(), oldest.held(), oldest.peer(), *n);
}

OriginRef Port::origin_for(const Stream& stream) const {
  if (options_.source_address_key.empty()) return origin_;
  Origin origin;
  origin.tag = origin_->tag;
  origin.attached.emplace_back(options_.source_address_key, "tcp://" + stream.peer());
  return OriginRef::make(std::move(origin));
}

void Port::ended(Connection& connection, std::string_view why) {
  services_.log.debug("connection of {} ended: {}", connection.peer(), why);
  services_.intake.close_source(connection.source(), false, [] {});
  open_.add(-1);
  const std::size_t index = connection.index;
  const std::unique_ptr<Connection> gone = std::move(connections_[index]);
  if (index + 1 < connections_.size()) {
    connections_[index] = std::move(connections_.back());
    connections_[index]->index = index;
  }
  connections_.pop_back();
}

void Port::pause() {
  paused_ = true;
  listener_->pause();
  for (const auto& connection : connections_) connection->pause();
}

void Port::resume() {
  paused_ = false;
  listener_->resume();
  for (const auto& connection : connections_) connection->resume();
}

Port::~Port() {
  listener_.reset();
  for (const auto& connection : connections_) {
    connection->drain(!paused_);
    services_.intake.close_source(connection->source(), false, [] {});
    open_.add(-1);
  }
}

class TcpInput final : public Input {
 public:
  explicit TcpInput(OptionsPtr options) : options_(std::move(options)) {}

  Status open(InputServices& services) override {
    const auto& options = *static_cast<const TcpInputOptions*>(options_.get());
    Result<FramingRules> rules = tcp_in::framing_of(options);
    if (!rules.ok()) return rules.status();
    port_ = std::make_unique<Port>(services, options, std::move(rules).value());
    return port_->listen();
  }
  void pause() override { port_->pause(); }
  void resume() override { port_->resume(); }
  void close() override { port_.reset(); }

 private:
  OptionsPtr options_;  // outlives port_, which looks at it
  std::unique_ptr<Port> port_;
};

}  // namespace

extern const InputEntry kTcpInput;
const InputEntry kTcpInput = {
    .name = "tcp",
    .summary = "Listens for messages over TCP, one per line, as text or JSON.",
    .schema = &tcp_in::tcp_input_schema(),
    .make_options = make_options_of<TcpInputOptions>,
    .make = [](OptionsPtr options, InputShared*) -> std::unique_ptr<Input> {
      return std::make_unique<TcpInput>(std::move(options));
    },
};

}  // namespace logweir
