// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "plugins/outputs/stdout/stdout.h"

namespace logweir::stdout_out {

namespace {

constexpr std::size_t kWriteBytes = 64 * 1024;  // what a pipe holds
constexpr Nanos kNoMemoryWait = 5 * kMillisecond;

EncodeOptions encoding(const StdoutOptions& options) {
  switch (options.format) {
    case StdoutFormat::json_lines:
      return encode_options(options, Format::json_lines);
    case StdoutFormat::raw:
      return encode_options(options, Format::raw);
    case StdoutFormat::json: {
      EncodeOptions array = encode_options(options, Format::json);
      array.run_begin = "[";
      array.run_end = "]\n";
      return array;
    }
    case StdoutFormat::json_stream: {
      EncodeOptions stream = encode_options(options, Format::json_stream);
      stream.run_end = "\n";
      return stream;
    }
    case StdoutFormat::fluent:
    case StdoutFormat::msgpack:
      break;
  }
  return encode_options(options, Format::fluent);
}

}  // namespace

Printer::Printer(OutputServices& services, const StdoutOptions& options, int fd)
    : host_(services.host),
      log_(services.log),
      loop_(services.loop),
      outbox_(encoding(options), services),
      channel_(services.loop, services.jobs, fd),
      timer_(services.loop.timers(), [this] {
        if (std::exchange(owes_ready_, false)) host_.ready();
      }) {}

std::uint64_t Printer::send(const Shipment& shipment) {
  if (!outbox_.waiting().empty()) {
    owes_ready_ = true;
    return 0;
  }
  outbox_.begin_shipment();
  ShipmentCursor cursor(shipment);
  std::uint64_t written = 0;
  while (!cursor.at_end()) {
    if (outbox_.fill(cursor, kWriteBytes) == 0) {
      timer_.arm(loop_.now() + kNoMemoryWait);
      break;
    }
    const bool all = flush();
    written += settle_written();
    if (!broken_.ok()) {  // what was not written is not taken
      const Status why = std::exchange(broken_, Status());
      outbox_.restart();
      if (const auto n = log_limit_.pass(loop_.now())) {
        log_.warn("records wait: {} ({} times since the last such line)", why.message(), *n);
      }
      host_.unavailable("io", why);
      return written;
    }
    if (!all) break;
  }
  owes_ready_ = !cursor.at_end();
  return cursor.taken();
}

// True when all that was encoded has been written; else it waits, or `broken_` says why not.
bool Printer::flush() {
  while (!outbox_.waiting().empty()) {
    const Result<std::size_t> written = channel_.try_write(outbox_.waiting().front());
    if (!written.ok()) {
      broken_ = written.status();
      return false;
    }
    if (written.value() == 0) {
      channel_.when_writable([this] { writable(); });
      return false;
    }
    outbox_.wrote(written.value());
  }
  return true;
}

void Printer::writable() {
  const bool all = flush();
  settle_written();
  if (!broken_.ok()) {  // taken by an earlier `send`
    broken_ = {};
    RecordRange range;
    while (outbox_.pop(UINT64_MAX, range)) host_.settle(range.first, range.count, Outcome::retry, "io");
    outbox_.restart();
  } else if (!all) {
    return;
  }
  if (std::exchange(owes_ready_, false)) host_.ready();
}

std::uint64_t Printer::settle_written() {
  RecordRange range;
  std::uint64_t count = 0;
  while (outbox_.pop(outbox_.written(), range)) {
    count += range.count;
    host_.settle(range.first, range.count, Outcome::delivered);
  }
  return count;
}

}  // namespace logweir::stdout_out
