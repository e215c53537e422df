// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/tcp/link.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace logweir::tcp_out {

namespace {

// So much is encoded before it is written: it is still in the cache then.
constexpr std::size_t kWriteBytes = 256 * 1024;
constexpr Nanos kFirstAckWait = kMillisecond;
constexpr Nanos kNoMemoryWait = 5 * kMillisecond;
// Runs of text above this that go out as they came are referred to; below, copying is cheaper than an iovec. A JSON
// body costs two of them, for the date in front of it: at 400 B referring costs more than copying.
constexpr std::size_t kReferRawAbove = 256;
constexpr std::size_t kReferJsonAbove = 2048;

EncodeOptions encoding(const TcpOutputOptions& options) {
  const bool raw = options.format == TcpFormat::raw || !options.raw_message_key.empty();
  EncodeOptions encode = encode_options(options, raw ? Format::raw : Format::json_lines);
  encode.raw_key = options.raw_message_key;
  encode.refer_above = raw ? kReferRawAbove : kReferJsonAbove;
  return encode;
}

std::size_t total(std::span<const iovec> pieces) {
  std::size_t sum = 0;
  for (const iovec& piece : pieces) sum += piece.iov_len;
  return sum;
}

// 1, 5, 10, 40 ms.
Nanos slower(Nanos wait) {
  if (wait < 5 * kMillisecond) return 5 * kMillisecond;
  return wait < 10 * kMillisecond ? 10 * kMillisecond : 40 * kMillisecond;
}

}  // namespace

Link::Link(OutputServices& services, const TcpOutputOptions& options, std::vector<HostPort> hosts)
    : loop_(services.loop),
      host_(services.host),
      log_(services.log),
      options_(options),
      hosts_(std::move(hosts)),
      outbox_(encoding(options), services),
      connects_(
          services.metrics.counter("logweir_output_connects_total", "Connections made", {{"output", services.name}})),
      losses_(services.metrics.counter("logweir_output_connection_losses_total",
                                       "Connections that the peer closed or that broke", {{"output", services.name}})),
      connected_(services.metrics.gauge("logweir_output_connections", "Connections that stand now",
                                        {{"output", services.name}})),
      ack_timer_(services.loop.timers(),
                 [this] {
                   ack_wait_ = slower(ack_wait_);
                   settle_acknowledged();
                 }),
      later_timer_(services.loop.timers(), [this] { later(); }) {}

// What is given up unacknowledged will be sent again by somebody: the kernel must not deliver it after our end as well.
Link::~Link() {
  connected_.set(0);
  if (stream_ == nullptr || outbox_.idle() || options_.ack != TcpAck::kernel) return;
  settle_acknowledged();
  if (outbox_.idle()) return;
  const linger at_once{1, 0};
  (void)setsockopt(stream_->fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

std::uint64_t Link::send(const Shipment& shipment) {
  if (stream_ == nullptr || !broken_.ok() || !outbox_.waiting().empty()) {
    owes_ready_ = true;
    if (stream_ == nullptr) dial();
    return 0;
  }
  ShipmentCursor cursor(shipment);
  while (!cursor.at_end()) {
    if (outbox_.fill(cursor, kWriteBytes) == 0) {
      later_timer_.arm(loop_.now() + kNoMemoryWait, kMillisecond);
      break;
    }
    if (!flush()) break;
  }
  owes_ready_ = !cursor.at_end();
  if (broken_.ok()) {
    ack_wait_ = kFirstAckWait;
    if (ack_timer_.armed()) ack_timer_.cancel();
    settle_acknowledged();
  }
  return cursor.taken();
}

// True when all that was encoded has been written.
bool Link::flush() {
  while (!outbox_.waiting().empty()) {
    const std::span<const iovec> front = outbox_.waiting().front();
    const std::size_t offered = total(front);
    const Result<std::size_t> written = stream_->try_write(front);
    if (!written.ok()) {
      broken_ = written.status();
      later_timer_.arm(loop_.now());
      return false;
    }
    outbox_.wrote(written.value());
    if (written.value() < offered) {
      stream_->when_writable([this](const Status& status) { writable(status); });
      return false;
    }
  }
  return true;
}

void Link::writable(const Status& status) {
  if (!status.ok()) {
    lost("reset", status);
    return;
  }
  const bool all = flush();
  if (!broken_.ok()) return;
  settle_acknowledged();
  if (all) pay_ready();
}

std::uint64_t Link::acknowledged() const {
  int unacknowledged = 0;
  if (options_.ack == TcpAck::none) return outbox_.written();
  if (ioctl(stream_->fd(), SIOCOUTQ, &unacknowledged) != 0 || unacknowledged < 0) return 0;
  const auto out = static_cast<std::uint64_t>(unacknowledged);
  return out < outbox_.written() ? outbox_.written() - out : 0;
}

void Link::settle_acknowledged() {
  if (outbox_.idle()) return;
  const std::uint64_t position = acknowledged();
  RecordRange range;
  while (outbox_.pop(position, range)) {
    got_through_ = true;
    ack_wait_ = kFirstAckWait;
    host_.settle(range.first, range.count, Outcome::delivered);  // may come back here with a `send`
  }
  if (!outbox_.idle() && stream_ != nullptr && options_.ack == TcpAck::kernel && !ack_timer_.armed()) {
    ack_timer_.arm(loop_.now() + ack_wait_);
  }
}

void Link::ended(Status why) {
  if (why.ok()) {
    lost("closed", Status(Code::unavailable, "the peer closed the connection"));
  } else {
    lost("reset", why);
  }
}

void Link::lost(std::string_view reason, const Status& why) {
  const std::uint64_t position = acknowledged();            // still answered on a broken socket
  const std::unique_ptr<Stream> gone = std::move(stream_);  // from here on `send` takes nothing
  broken_ = {};
  ack_timer_.cancel();
  later_timer_.cancel();
  losses_.add(1);
  connected_.set(0);
  const std::uint64_t waiting = outbox_.written() + outbox_.waiting().size() - std::min(position, outbox_.written());
  if (const auto n = lost_log_.pass(loop_.now())) {
    log_.warn(
        "lost the connection to {}: {}; {} bytes were not acknowledged and go out again ({} losses since the "
        "last such line)",
        gone->peer(), why.message(), waiting, *n);
  }
  RecordRange range;
  while (outbox_.pop(position, range)) {
    got_through_ = true;
    host_.settle(range.first, range.count, Outcome::delivered);
  }
  hosts_.lost(got_through_);
  while (outbox_.pop(UINT64_MAX, range)) host_.settle(range.first, range.count, Outcome::retry, reason);
  outbox_.restart();
  pay_ready();
}

void Link::later() {
  if (!broken_.ok()) {
    const Status why = std::move(broken_);
    lost("reset", why);
  } else {
    pay_ready();
  }
}

// Last in every path: the lane may call `send` at once.
void Link::pay_ready() {
  if (std::exchange(owes_ready_, false)) host_.ready();
}

void Link::dial() {
  if (dial_ != nullptr) return;
  const HostPort& to = hosts_.current();
  dial_ = std::make_unique<Dial>(loop_, to.host, to.port, options_.connect_timeout.value,
                                 [this](Result<std::unique_ptr<Stream>> result) { dialled(std::move(result)); });
}

void Link::dialled(Result<std::unique_ptr<Stream>> result) {
  dial_.reset();
  if (!result.ok()) {
    if (const auto n = failing_log_.pass(loop_.now())) {
      log_.warn("no connection: {} ({} failures since the last such line)", result.status().message(), *n);
    }
    was_failing_ = true;
    if (hosts_.next()) {
      dial();
      return;
    }
    owes_ready_ = false;
    host_.unavailable("connect", result.status());
    return;
  }
  stream_ = std::move(result).value();
  got_through_ = false;
  connects_.add(1);
  connected_.set(1);
  log_.info("connected to {}{}", stream_->peer(), std::exchange(was_failing_, false) ? " again" : "");
  set_socket_options();
  stream_->read(*this);
  pay_ready();
}

void Link::set_socket_options() {
  const auto set = [this](int level, int name, std::int64_t wanted) {
    const int value = static_cast<int>(wanted);
    if (value > 0) (void)setsockopt(stream_->fd(), level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, options_.io_timeout.value / kMillisecond);
  if (!options_.tcp_keepalive) return;
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, options_.tcp_keepalive_time);
  set(IPPROTO_TCP, TCP_KEEPINTVL, options_.tcp_keepalive_interval);
  set(IPPROTO_TCP, TCP_KEEPCNT, options_.tcp_keepalive_probes);
}

}  // namespace logweir::tcp_out
