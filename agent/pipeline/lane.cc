// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane.h"

#include <algorithm>

#include "base/check.h"

namespace logweir {

namespace {

// From this many waiting bytes on, records leave at once instead of at the turn's end: they are still in the cache.
constexpr std::uint64_t kSendAtOnce = 64 * 1024;
constexpr Nanos kHurriedWait = 100 * kMillisecond;
constexpr Nanos kCompactAfter = kSecond;

double seconds(Nanos n) { return static_cast<double>(n) / 1e9; }

Labels outcome_labels(const std::string& output, const char* outcome) {
  return {{"output", output}, {"outcome", outcome}};
}

}  // namespace

LaneMetrics::LaneMetrics(Metrics& m, const std::string& output)
    : delivered(m.counter("logweir_output_records_total", "Records by outcome", outcome_labels(output, "delivered"))),
      retried(m.counter("logweir_output_records_total", "Records by outcome", outcome_labels(output, "retried"))),
      rejected(m.counter("logweir_output_records_total", "Records by outcome", outcome_labels(output, "rejected"))),
      dropped(m.counter("logweir_output_records_total", "Records by outcome", outcome_labels(output, "dropped"))),
      bytes(m.counter("logweir_output_bytes_total", "Bytes of the bodies of delivered records", {{"output", output}})),
      sends(m.counter("logweir_output_sends_total", "Shipments offered to the output", {{"output", output}})),
      retries(m.counter("logweir_output_retries_total", "Times the lane backed off", {{"output", output}})),
      in_flight(m.gauge("logweir_output_in_flight_records", "Records sent and not yet settled", {{"output", output}})),
      queue_bytes(
          m.gauge("logweir_output_queue_bytes", "Bytes the lane holds, in flight ones included", {{"output", output}})),
      oldest_waiting(
          m.gauge("logweir_oldest_waiting_seconds", "Age of the oldest record the lane holds", {{"output", output}})),
      queue_wait(m.histogram("logweir_output_queue_wait_seconds", "Time a run of records waited before it was sent",
                             seconds_buckets(), {{"output", output}})),
      send_time(m.histogram("logweir_output_send_seconds", "Time from send to outcome, per run of records",
                            seconds_buckets(), {{"output", output}})),
      delay(m.histogram("logweir_delivery_delay_seconds", "Time from read to acknowledged, per record",
                        seconds_buckets(), {{"output", output}})) {}

Lane::Lane(Setup setup)
    : setup_(std::move(setup)),
      metrics_(setup_.metrics, setup_.name),
      retry_limit_(retry_limit_of(setup_.options.retry_limit)),
      backoff_(setup_.options.backoff_base.value, setup_.options.backoff_cap.value, setup_.seed),
      compactor_(setup_.pool),
      compact_timer_(setup_.loop.timers(), [this] { compact_old(); }),
      timer_(setup_.loop.timers(), [this] { pump(); }),
      after_turn_(setup_.loop, [this] { pump(); }) {}

Lane::~Lane() { LW_CHECK(empty()); }

void Lane::enqueue(const BatchRef& batch, std::uint32_t first, std::uint32_t last) {
  ShippingNode* node = nodes_.make();
  node->batch = batch;
  node->first = first;
  node->last = last;
  node->order = next_order_++;
  node->bytes = weight_of(*batch, first, last);
  node->queued_at = batch->read_at;
  setup_.ledger.owe(*batch->claim, setup_.index);
  bytes_ += node->bytes;
  const WhenFull policy = setup_.options.when_full;
  if (policy == WhenFull::drop_newest && bytes_ > setup_.options.queue_bytes.value && bytes_ > node->bytes) {
    drop(node, "queue_full", metrics_.dropped);
    return;
  }
  waiting_.push_back(node);
  waiting_bytes_ += node->bytes;
  waiting_count_ += node->count();
  if (policy == WhenFull::drop_oldest) make_room(node->bytes);
  update_full();
  if (waiting_bytes_ >= kSendAtOnce) {
    pump();
  } else {
    after_turn_.want();
  }
}

void Lane::make_room(std::uint64_t incoming) {
  while (bytes_ > setup_.options.queue_bytes.value && waiting_.head() != waiting_.tail() && bytes_ > incoming) {
    ShippingNode* oldest = waiting_.head();
    waiting_.remove(oldest);
    waiting_bytes_ -= oldest->bytes;
    waiting_count_ -= oldest->count();
    drop(oldest, "queue_full", metrics_.dropped);
  }
}

void Lane::update_full() {
  const std::uint64_t high = setup_.options.queue_bytes.value;
  if (!full_) {
    full_ = setup_.options.when_full == WhenFull::block && bytes_ > high;
  } else if (bytes_ <= high / 2) {
    full_ = false;
    if (setup_.room) setup_.room();
  }
}

bool Lane::due(Nanos now) const {
  if (setup_.linger <= 0 || hurried_) return true;
  return waiting_bytes_ >= setup_.options.batch_bytes.value ||
         waiting_count_ >= static_cast<std::uint64_t>(setup_.options.batch_records) ||
         waiting_.head()->queued_at + setup_.linger <= now;
}

void Lane::pump() {
  if (pumping_ || output_ == nullptr) return;
  pumping_ = true;
  Nanos now = setup_.loop.now();
  while (ready_ && !waiting_.empty() && now >= resume_at_ && due(now)) {
    if (!offer(now)) break;
    now = setup_.loop.now();
  }
  pumping_ = false;
  arm_timer(now);
}

void Lane::arm_timer(Nanos now) {
  if (!waiting_.empty() && !compact_timer_.armed()) compact_timer_.arm(now + kCompactAfter, kCompactAfter / 4);
  timer_.cancel();
  if (waiting_.empty() || !ready_) return;
  if (now < resume_at_) {
    timer_.arm(resume_at_, kMillisecond);
  } else if (!due(now)) {
    timer_.arm(waiting_.head()->queued_at + setup_.linger, setup_.linger / 8);
  }
}

void Lane::build_shipment(Nanos now) {
  parts_.clear();
  shipment_records_ = shipment_bytes_ = 0;
  std::uint64_t ordinal = next_ordinal_;
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(setup_.options.batch_records, 1));
  while (!waiting_.empty() && shipment_records_ < most && shipment_bytes_ < setup_.options.batch_bytes.value) {
    ShippingNode* node = waiting_.head();
    const std::uint64_t left = most - shipment_records_;
    if (node->count() > left) split(node, static_cast<std::uint32_t>(left));
    waiting_.remove(node);
    waiting_bytes_ -= node->bytes;
    waiting_count_ -= node->count();
    node->ordinal = ordinal;
    node->sent_at = now;
    ordinal += node->count();
    shipment_records_ += node->count();
    shipment_bytes_ += node->bytes;
    sent_.push_back(node);
    sent_count_ += node->count();
    parts_.push_back({node->batch.get(), node->first, node->last});
  }
}

// One shipment; false when there is no sense in offering another in this turn.
bool Lane::offer(Nanos now) {
  build_shipment(now);
  const std::uint64_t first = next_ordinal_;
  const std::uint64_t offered = shipment_records_;
  next_ordinal_ = first + offered;  // settle() may come before send() returns
  metrics_.sends.add(1);
  ready_ = false;  // ready() may be called inside as well
  offering_ = true;
  const std::uint64_t taken = output_->send({parts_, first, offered, shipment_bytes_});
  offering_ = false;
  LW_CHECK(taken <= offered);
  if (taken == offered) {
    ready_ = true;
    return true;
  }
  return_untaken(first + taken);
  next_ordinal_ = first + taken;
  if (std::exchange(refused_, false)) count_refusal();
  if (taken > 0) return true;
  if (ready_) after_turn_.want();
  return false;
}

void Lane::return_untaken(std::uint64_t from) {
  while (!sent_.empty()) {
    ShippingNode* node = sent_.tail();
    if (node->ordinal + node->count() <= from) return;
    if (node->ordinal < from) {
      // The part that was taken stays sent; the rest is a node of its own in front of what waits.
      const auto keep = static_cast<std::uint32_t>(from - node->ordinal);
      ShippingNode* rest = split(node, keep);  // lands in waiting_
      rest->sent_at = 0;
      sent_count_ -= rest->count();
      return;
    }
    sent_.remove(node);
    sent_count_ -= node->count();
    place_waiting(node);
  }
}

// Into its place by order: what was given back during an offer goes before what was not taken of it.
void Lane::place_waiting(ShippingNode* node) {
  ShippingNode* at = waiting_.head();
  while (at != nullptr && at->before(*node)) at = at->next;
  waiting_.insert_before(node, at);
  waiting_bytes_ += node->bytes;
  waiting_count_ += node->count();
}

// Cuts a node behind its first `keep` records. The rest waits, in its place, and is returned.
ShippingNode* Lane::split(ShippingNode* node, std::uint32_t keep) {
  const bool waits = waiting_.head() == node;
  ShippingNode* rest = nodes_.make();
  rest->batch = node->batch;
  rest->first = node->first + keep;
  rest->last = node->last;
  rest->tries = node->tries;
  rest->order = node->order;
  rest->queued_at = node->queued_at;
  const std::uint64_t bytes = weight_of(*node->batch, node->first, rest->first);
  rest->bytes = node->bytes > bytes ? node->bytes - bytes : 0;
  node->last = rest->first;
  node->bytes -= rest->bytes;
  setup_.ledger.owe(*node->batch->claim, setup_.index);
  if (waits) {
    waiting_.insert_before(rest, node->next);
  } else {
    place_waiting(rest);
  }
  return rest;
}

// Cuts a node that is sent at an ordinal; the rest stays sent, behind it, and is returned.
ShippingNode* Lane::split_sent(ShippingNode* node, std::uint64_t ordinal) {
  ShippingNode* rest = split(node, static_cast<std::uint32_t>(ordinal - node->ordinal));
  waiting_.remove(rest);
  waiting_bytes_ -= rest->bytes;
  waiting_count_ -= rest->count();
  rest->ordinal = ordinal;
  rest->sent_at = node->sent_at;
  sent_.insert_before(rest, node->next);
  return rest;
}

void Lane::compact_old() {
  const Nanos now = setup_.loop.now();
  ShippingNode* node = waiting_.tail();
  while (node != nullptr && (node->queued_at > now - kCompactAfter)) node = node->previous;
  const std::uint64_t from = std::exchange(compacted_to_, node != nullptr ? node->order + 1 : compacted_to_);
  for (; node != nullptr && node->order >= from; node = node->previous) {
    if (!compactor_.compact(*node->batch)) break;
  }
  if (!waiting_.empty()) compact_timer_.arm(now + kCompactAfter, kCompactAfter / 4);
}

void Lane::ready() {
  ready_ = true;
  if (!pumping_) pump();
}

void Lane::settle(std::uint64_t first, std::uint64_t count, Outcome outcome, std::string_view reason,
                  Nanos not_before) {
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
    } else if (outcome == Outcome::rejected) {
      drop(node, reason.empty() ? "rejected" : reason, metrics_.rejected);
    } else {
      finish(node);
    }
    node = next;
  }
  if (outcome == Outcome::retry) {
    back_off(not_before);
  } else if (outcome == Outcome::delivered) {
    backoff_.reset();
  }
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
  const auto left_before = [node](const ShippingNode* head) { return head != nullptr && head->before(*node); };
  if (node->last < batch.records.size() && !left_before(sent_.head()) && !left_before(waiting_.head())) {
    setup_.ledger.progress(*batch.claim, setup_.index, batch.records[node->last].position);
  }
  bytes_ -= node->bytes;
  setup_.ledger.settled(*batch.claim, setup_.index);
  nodes_.take_back(node);
}

void Lane::back_to_waiting(ShippingNode* node) {
  ++node->tries;
  metrics_.retried.add(node->count());
  place_waiting(node);
}

void Lane::drop(ShippingNode* node, std::string_view reason, Counter& outcome) {
  const std::uint64_t count = node->count();
  outcome.add(count);
  setup_.metrics
      .counter("logweir_dropped_records_total", "Records that were given up, by component and reason",
               {{"component", setup_.name}, {"reason", std::string(reason)}})
      .add(count);
  if (const auto n = drop_log_.pass(setup_.loop.now())) {
    setup_.log.warn("dropped {} records: {} (said {} times since the last such line)", count, reason, *n);
  }
  setup_.ledger.counts.dropped += count;
  end_claim(node);
}

void Lane::back_off(Nanos not_before) {
  const Nanos now = setup_.loop.now();
  const bool already = now < resume_at_;
  if (!already) {
    metrics_.retries.add(1);
    resume_at_ = now + (hurried_ ? kHurriedWait : backoff_.next());
  }
  if (!hurried_) resume_at_ = std::max(resume_at_, not_before);
  ready_ = true;  // whoever took nothing may be asked again then
  if (!pumping_) arm_timer(now);
}

void Lane::unavailable(std::string_view reason, const Status& why) {
  setup_.log.debug("no peer ({}): {}", reason, why.message());
  back_off(0);
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
      waiting_.remove(node);
      waiting_bytes_ -= node->bytes;
      waiting_count_ -= node->count();
      drop(node, "retry_limit", metrics_.dropped);
    }
    node = next;
  }
  update_full();
}

void Lane::hurry() {
  if (!std::exchange(hurried_, true)) resume_at_ = 0;  // once: a peer that refuses is asked each kHurriedWait
  pump();
}

void Lane::abandon() {
  output_ = nullptr;
  timer_.cancel();
  compact_timer_.cancel();
  for (ShippingList* list : {&sent_, &waiting_}) {
    while (!list->empty()) {
      ShippingNode* node = list->head();
      list->remove(node);
      nodes_.take_back(node);
    }
  }
  bytes_ = waiting_bytes_ = waiting_count_ = sent_count_ = 0;
}

void Lane::refresh_gauges() {
  metrics_.in_flight.set(static_cast<double>(sent_count_));
  metrics_.queue_bytes.set(static_cast<double>(bytes_));
  const ShippingNode* oldest = !sent_.empty() ? sent_.head() : waiting_.head();
  metrics_.oldest_waiting.set(oldest != nullptr ? seconds(setup_.loop.now() - oldest->queued_at) : 0);
}

bool Lane::stuck(Nanos age) const {
  if (empty()) return false;
  const Nanos since = setup_.loop.now() - age;
  return (!sent_.empty() ? sent_.head() : waiting_.head())->queued_at < since && delivered_at_ < since;
}

}  // namespace logweir
