// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane_options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "pipeline/shedding.h"

namespace logweir {
namespace {

constexpr auto kForEver = std::numeric_limits<std::uint64_t>::max();

constexpr std::array kOptions = {
    option<&LaneOptions::linger>(
        "linger", "",
        "How long records may wait for company before they are sent; `flush` means the same here. The default is the "
        "output's own: 0 for streams, which send at once.",
        kLive),
    option<&LaneOptions::batch_bytes>("batch_bytes", "1M", "Most bytes of records in one shipment.", kLive),
    option<&LaneOptions::batch_records>("batch_records", "10000", "Most records in one shipment.", kLive,
                                        "1..10000000"),
    option<&LaneOptions::queue_bytes>(
        "queue_bytes", "8M", "Most bytes of records that may wait for this output in memory; then `when_full` decides.",
        kLive),
    option<&LaneOptions::when_full>(
        "when_full", "auto",
        "What happens when the queue fills up: block stops reading until there is room; spill puts what is over half "
        "of it on disk, up to `storage.total_limit_size`, and then stops reading, or leaves in a file what other "
        "outputs take of it and reads that again later; drop_newest and drop_oldest lose "
        "records "
        "and count them. auto: block for a conf's only output, else spill, so that one dead output does not stop the "
        "others.",
        kLive, "auto|block|spill|drop_newest|drop_oldest"),
    option<&LaneOptions::durable>("durable", "off",
                                  "Put all records on disk, synced, before they count as read: what was read from a "
                                  "socket survives a crash then."),
    option<&LaneOptions::spool_bytes>("storage.total_limit_size", "1G", "Most bytes of the output's spool on disk."),
    option<&LaneOptions::min_free>("storage.min_free_size", "64M",
                                   "What the spool leaves free of its file system; below it nothing is spooled."),
    option<&LaneOptions::retry_limit>(
        "retry_limit", "no_limits",
        "How often records that the peer did not take are tried again before they are given up: a number, no_limits or "
        "no_retries.",
        kLive),
    option<&LaneOptions::backoff_base>("backoff_base", "1s", "First wait before a retry; it doubles with each failure.",
                                       kLive),
    option<&LaneOptions::backoff_cap>("backoff_cap", "1m", "Longest wait before a retry.", kLive),
    option<&LaneOptions::breaker_failures>("breaker_failures", "5",
                                           "After so many failures in a row the circuit breaker opens: what is tried "
                                           "next, once the back-off is over, is a "
                                           "probe of at most 100 records; 0: never.",
                                           kLive, "0..1000000"),
    option<&LaneOptions::breaker_failure_rate>(
        "breaker_failure_rate", "0",
        "The breaker also opens when this percentage of the attempts in `breaker_window` failed; 0: not looked at.",
        kLive, "0..100"),
    option<&LaneOptions::breaker_min_attempts>("breaker_min_attempts", "20",
                                               "With fewer attempts in `breaker_window` the rate is not looked at.",
                                               kLive, "1..1000000"),
    option<&LaneOptions::breaker_window>("breaker_window", "30s", "What `breaker_failure_rate` looks back at.", kLive),
    option<&LaneOptions::breaker_pause>(
        "breaker_pause", "0", "How long the breaker stays open before a probe, when that is longer than the back-off.",
        kLive),
    option<&LaneOptions::max_age>("max_age", "off",
                                  "Records that wait longer than this after they were read are dropped and counted "
                                  "(reason max_age); off: they may "
                                  "wait for ever.",
                                  kLive, "off"),
    option<&LaneOptions::shed_below>(
        "shed_below", "",
        "While the queue is fuller than `shed_above`, records less severe than this are dropped and counted (reason "
        "shed): emerg, alert, crit, error, warn, notice, info, debug or syslog's number. Those that say nothing are "
        "kept.",
        kLive),
    option<&LaneOptions::shed_above>("shed_above", "80", "Percentage of `queue_bytes` from which on `shed_below` acts.",
                                     kLive, "0..100"),
    option<&LaneOptions::severity_key>("severity_key", "level, severity",
                                       "Fields that may hold a record's severity; the first that it has counts.",
                                       kLive | kCommaList),
};

bool same_word(const std::string& a, std::string_view b) { return same_key(a, b); }

std::optional<std::uint64_t> limit_of(const std::string& word) {
  if (same_word(word, "no_limits") || same_word(word, "false") || same_word(word, "off")) return kForEver;
  if (same_word(word, "no_retries")) return 0;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return number;
}

void check(const void* options, const Node& node, Problems& problems) {
  const auto& lane = *static_cast<const LaneOptions*>(options);
  const auto place_of = [&](std::string_view key) {
    const Node* value = node.find(key);
    return value != nullptr ? value->place : node.place;
  };
  if (!limit_of(lane.retry_limit)) {
    problems.error(place_of("retry_limit"),
                   fmt::format("'retry_limit' can't be '{}'; it must be a number, no_limits or no_retries",
                               lane.retry_limit.substr(0, 80)));
  }
  // Only what was given on both sides can contradict; a default gives way (see make_plan).
  if (node.find("backoff_cap") != nullptr && lane.backoff_cap.value < lane.backoff_base.value) {
    problems.error(place_of("backoff_cap"),
                   "'backoff_cap' is shorter than 'backoff_base'; it must be at least as long");
  }
  if (const auto shedder = Shedder::make(lane.shed_below, lane.severity_key); !shedder.ok()) {
    problems.error(place_of("shed_below"), "'shed_below' or 'severity_key': " + shedder.status().message());
  }
  if (lane.batch_bytes.value == 0) problems.error(place_of("batch_bytes"), "'batch_bytes' can't be 0");
  if (node.find("batch_bytes") != nullptr && lane.queue_bytes.value < lane.batch_bytes.value) {
    problems.error(place_of("batch_bytes"),
                   "'batch_bytes' is larger than 'queue_bytes'; no shipment could be that large");
  }
  const bool drops = lane.when_full == WhenFull::drop_newest || lane.when_full == WhenFull::drop_oldest;
  if (lane.durable && drops) {
    problems.error(place_of("durable"),
                   "'durable' keeps every record and 'when_full' asks to drop some; leave one out");
  }
  if (lane.queue_bytes.value == 0) problems.error(place_of("queue_bytes"), "'queue_bytes' can't be 0");
}

}  // namespace

const Schema& lane_schema() {
  static constexpr Schema kSchema{kOptions, {}, check};
  return kSchema;
}

Breaker::Options breaker_options_of(const LaneOptions& options) {
  Breaker::Options out;
  out.failures = static_cast<std::uint64_t>(options.breaker_failures);
  out.percent = static_cast<std::uint64_t>(options.breaker_failure_rate);
  out.attempts = static_cast<std::uint64_t>(options.breaker_min_attempts);
  out.window = options.breaker_window.value;
  out.pause = options.breaker_pause.value;
  return out;
}

std::uint64_t retry_limit_of(const std::string& word) { return limit_of(word).value_or(kForEver); }

}  // namespace logweir
