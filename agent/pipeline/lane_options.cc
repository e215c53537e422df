// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane_options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>

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
    option<&LaneOptions::when_full>("when_full", "block",
                                    "What happens when the queue is full: block stops reading until there is room, "
                                    "drop_newest and drop_oldest lose "
                                    "records and count them.",
                                    kLive, "block|drop_newest|drop_oldest"),
    option<&LaneOptions::retry_limit>(
        "retry_limit", "no_limits",
        "How often records that the peer did not take are tried again before they are given up: a number, no_limits or "
        "no_retries.",
        kLive),
    option<&LaneOptions::backoff_base>("backoff_base", "1s", "First wait before a retry; it doubles with each failure.",
                                       kLive),
    option<&LaneOptions::backoff_cap>("backoff_cap", "1m", "Longest wait before a retry.", kLive),
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
  if (lane.batch_bytes.value == 0) problems.error(place_of("batch_bytes"), "'batch_bytes' can't be 0");
  if (node.find("batch_bytes") != nullptr && lane.queue_bytes.value < lane.batch_bytes.value) {
    problems.error(place_of("batch_bytes"),
                   "'batch_bytes' is larger than 'queue_bytes'; no shipment could be that large");
  }
  if (lane.queue_bytes.value == 0) problems.error(place_of("queue_bytes"), "'queue_bytes' can't be 0");
}

}  // namespace

const Schema& lane_schema() {
  static constexpr Schema kSchema{kOptions, {}, check};
  return kSchema;
}

std::uint64_t retry_limit_of(const std::string& word) { return limit_of(word).value_or(kForEver); }

}  // namespace logweir
