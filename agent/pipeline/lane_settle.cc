// SPDX-License-Identifier: Apache-2.0
// What becomes of records that were sent: the lane's side of the output's answers.
#include <algorithm>

#include "base/check.h"
#include "pipeline/lane.h"

namespace logweir {

namespace {

constexpr Nanos kHurriedWait = 100 * kMillisecond;

double seconds(Nanos n) { return static_cast<double>(n) / 1e9; }

}  // namespace

void Lane::settle(std::uint64_t first, std::uint64_t count, Outcome outcome, std::string_view reason, Nanos not_before,
                  std::string_view answer) {
  const std::uint64_t end = first + count;
  ShippingNode* node = sent_.head();
  while (node != nullptr && node->ordinal + node->count() <= first) node = node->next;
  LW_CHECK(node != nullptr || count == 0);
  while (node != nullptr && node->ordinal < end) {
    ShippingNode* next = node->next;
    // What lies outside the range stays sent.
    if (node->ordinal < first) node = split_sent(node, first);
    if (node->ordinal + node->count() > end) next = split_sent(node, end);
    sent_.remove(node);
    sent_count_ -= node->count();
    if (outcome == Outcome::retry && node->tries < retry_limit_) {
      back_to_waiting(node);
    } else if (outcome == Outcome::retry) {
      drop(node, "retry_limit", metrics_.dropped);
    } else if (outcome == Outcome::rejected || (outcome == Outcome::poison && count == 1)) {
      bury(node, reason.empty() ? "rejected" : reason, answer);
    } else if (outcome == Outcome::poison) {
      place_waiting(node);
    } else {
      finish(node);
    }
    node = next;
  }
  if (outcome == Outcome::retry) {
    back_off(not_before, reason);
  } else if (outcome == Outcome::poison) {
    look_closer(count);
  } else if (count > 0) {
    peer_answered();
  }
  mind_spool();
  update_full();
}

void Lane::finish(ShippingNode* node) {
  const Nanos now = setup_.loop.now();
  delivered_at_ = now;
  const std::uint64_t count = node->count();
  metrics_.delivered.add(count);
  metrics_.bytes.add(node->bytes - count * sizeof(Record));
  metrics_.queue_wait.observe(seconds(std::max<Nanos>(node->sent_at - node->queued_at, 0)));
  metrics_.send_time.observe(seconds(now - node->sent_at));
  metrics_.delay.observe(seconds(now - node->batch->read_at), count);
  setup_.ledger.counts.delivered += count;
  end_claim(node);
}

// The node is in no list any more. When nothing before it is left of its batch, the source's prefix moves up to what
// follows it, though the rest of the batch may wait long.
void Lane::end_claim(ShippingNode* node) {
  const Batch& batch = *node->batch;
  const bool from_source = node->stored != ShippingNode::Stored::yes;
  if (from_source && node->last < batch.records.size() && !left_before(*node)) {
    setup_.ledger.progress(*node->claim, setup_.index, batch.records[node->last].position);
  }
  bytes_ -= node->bytes;
  setup_.ledger.settled(*std::exchange(node->claim, nullptr), setup_.index);
  if (node->stored != ShippingNode::Stored::under_way) nodes_.take_back(node);
}

// Whether the lane may hold older records of the node's batch.
bool Lane::left_before(const ShippingNode& node) const {
  for (const ShippingList* list : {&waiting_, &burying_, &spilling_}) {
    if (!list->empty() && list->head()->before(node)) return true;
  }
  // What was sent again is behind what was sent before it, though it is older.
  for (const ShippingNode* sent = sent_.head(); sent != nullptr; sent = sent->next) {
    if (sent->claim == node.claim && sent->before(node)) return true;
  }
  return false;
}

void Lane::back_to_waiting(ShippingNode* node) {
  ++node->tries;
  metrics_.retried.add(node->count());
  place_waiting(node);
}

void Lane::drop(ShippingNode* node, std::string_view reason, Counter& outcome) {
  outcome.add(node->count());
  count_dropped(node->count(), reason);
  end_claim(node);
}

void Lane::count_dropped(std::uint64_t count, std::string_view reason) {
  setup_.metrics
      .counter("logweir_dropped_records_total", "Records that were given up, by component and reason",
               {{"component", setup_.name}, {"reason", std::string(reason)}})
      .add(count);
  if (const auto n = drop_log_.pass(setup_.loop.now())) {
    setup_.log.warn("dropped {} records: {} (said {} times since the last such line)", count, reason, *n);
  }
  setup_.ledger.counts.dropped += count;
}

void Lane::back_off(Nanos not_before, std::string_view reason) {
  const Nanos now = setup_.loop.now();
  const bool already = now < resume_at_;
  if (!already) {
    metrics_.retries.add(1);
    last_failure_ = reason;
    resume_at_ = now + (hurried_ ? kHurriedWait : backoff_.next());
    if (breaker_.failed(now)) {
      metrics_.breaker_opens.add(1);
      setup_.log.debug("the breaker is open after {} failures in a row, the last: {}", breaker_.failures_in_row(),
                       reason);
    }
  }
  if (!hurried_) resume_at_ = std::max(resume_at_, not_before);
  ready_ = true;  // whoever took nothing may be asked again then
  consider_spill();
  if (!pumping_) arm_timer(now);
}

// Also by a rejection: the peer is there and takes requests.
void Lane::peer_answered() {
  backoff_.reset();
  if (!breaker_.answered(setup_.loop.now())) return;
  setup_.log.debug("the breaker is closed: the peer answered");
  after_turn_.want();
}

void Lane::unavailable(std::string_view reason, const Status& why) {
  setup_.log.debug("no peer ({}): {}", reason, why.message());
  back_off(0, reason);
  if (offering_) {
    refused_ = true;
  } else {
    count_refusal();
  }
}

// A peer that is not there is a failed try for all that waits for it.
void Lane::count_refusal() {
  if (retry_limit_ == UINT64_MAX) return;
  for (ShippingNode* node = waiting_.head(); node != nullptr;) {
    ShippingNode* next = node->next;
    if (node->tries++ >= retry_limit_) {
      take_waiting(node);
      drop(node, "retry_limit", metrics_.dropped);
    }
    node = next;
  }
  update_full();
}

}  // namespace logweir
