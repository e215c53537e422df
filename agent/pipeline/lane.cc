// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane.h"

#include <algorithm>
#include <exception>

#include "base/check.h"

namespace logweir {

namespace {

// From this many waiting bytes on, records leave at once instead of at the turn's end: they are still in the cache.
constexpr std::uint64_t kSendAtOnce = 64 * 1024;
constexpr std::int64_t kProbeRecords = 100;
constexpr Nanos kCompactAfter = kSecond;

double seconds(Nanos n) { return static_cast<double>(n) / 1e9; }

Shedder shedder_of(const LaneOptions& options) {
  auto made = Shedder::make(options.shed_below, options.severity_key);
  return made.ok() ? std::move(made).value() : Shedder();
}

}  // namespace

Lane::Lane(Setup setup)
    : setup_(std::move(setup)),
      metrics_(setup_.metrics, setup_.name),
      retry_limit_(retry_limit_of(setup_.options.retry_limit)),
      backoff_(setup_.options.backoff_base.value, setup_.options.backoff_cap.value, setup_.seed),
      breaker_(breaker_options_of(setup_.options)),
      compactor_(setup_.pool),
      shedder_(shedder_of(setup_.options)),
      compact_timer_(setup_.loop.timers(), [this] { compact_old(); }),
      age_timer_(setup_.loop.timers(), [this] { expire(); }),
      spill_timer_(setup_.loop.timers(), [this] { consider_spill(); }),
      timer_(setup_.loop.timers(), [this] { pump(); }),
      after_turn_(setup_.loop, [this] { pump(); }) {
  if (setup_.spool == nullptr) return;
  setup_.spool->attach(*this);
  if (setup_.options.durable || setup_.spool->has_unread()) {
    start_logging();
    after_turn_.want();
  }
}

Lane::~Lane() { LW_CHECK(lists_empty()); }

void Lane::enqueue(const BatchRef& batch, std::uint32_t first, std::uint32_t last) {
  if (shedder_.on() && shedding()) {
    enqueue_severe(batch, first, last);
  } else {
    admit(batch, first, last);
  }
  ++next_order_;
  mind_spool();
  update_full();
  if (waiting_bytes_ >= kSendAtOnce) {
    pump();
  } else {
    after_turn_.want();
  }
}

ShippingNode* Lane::make_node(const BatchRef& batch, std::uint32_t first, std::uint32_t last) {
  ShippingNode* node = nodes_.make();
  node->batch = batch;
  node->first = first;
  node->last = last;
  node->order = next_order_;
  node->bytes = weight_of(*batch, first, last);
  node->queued_at = batch->read_at;
  node->claim = batch->claim;
  setup_.ledger.owe(*node->claim, setup_.index);
  bytes_ += node->bytes;
  return node;
}

void Lane::admit(const BatchRef& batch, std::uint32_t first, std::uint32_t last) {
  ShippingNode* node = make_node(batch, first, last);
  const WhenFull policy = setup_.options.when_full;
  if (policy == WhenFull::drop_newest && bytes_ > setup_.options.queue_bytes.value && bytes_ > node->bytes) {
    drop(node, "queue_full", metrics_.dropped);
    return;
  }
  if (logging_) {
    node->spilling = true;
    spilling_.push_back(node);
    spill_bytes_ += node->bytes;
    return;
  }
  add_waiting(node);
  if (policy == WhenFull::drop_oldest) make_room(node->bytes);
}

void Lane::add_waiting(ShippingNode* node) {
  waiting_.push_back(node);
  waiting_bytes_ += node->bytes;
  waiting_count_ += node->count();
  if (setup_.options.max_age.value >= 0 && !age_timer_.armed()) {
    age_timer_.arm(node->queued_at + setup_.options.max_age.value, setup_.options.max_age.value / 8);
  }
}

void Lane::update_full() {
  // What is in memory and in the spool stops nobody; what waits for the spool does.
  const std::uint64_t most = logging_ ? setup_.options.queue_bytes.value / 2 : setup_.options.queue_bytes.value;
  const std::uint64_t held = logging_ ? spill_bytes_ : bytes_;
  const WhenFull policy = setup_.options.when_full;
  const bool may_fill = logging_ || (policy != WhenFull::drop_newest && policy != WhenFull::drop_oldest);
  if (!full_ && held > most && may_fill) {
    full_ = true;
    full_since_ = setup_.loop.now();
    consider_spill();
  } else if (!full_) {
    return;
  } else if (held <= (logging_ ? most - most / 4 : most / 2)) {  // a disk that waits for records is lost time
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
  while (ready_ && !waiting_.empty() && now >= resume_at_ && breaker_.allows(now) && due(now)) {
    if (!offer(now)) break;
    now = setup_.loop.now();
  }
  pumping_ = false;
  mind_spool();
  arm_timer(now);
  if (setup_.hungry && waiting_bytes_ < setup_.options.queue_bytes.value / 4) setup_.hungry();
}

void Lane::arm_timer(Nanos now) {
  if (!waiting_.empty() && !compact_timer_.armed()) compact_timer_.arm(now + kCompactAfter, kCompactAfter / 4);
  timer_.cancel();
  if (waiting_.empty() || !ready_) return;
  if (const Nanos at = may_offer_at(); now < at) {
    timer_.arm(at, kMillisecond);
  } else if (!due(now)) {
    timer_.arm(waiting_.head()->queued_at + setup_.linger, setup_.linger / 8);
  }
}

void Lane::build_shipment(Nanos now) {
  parts_.clear();
  shipment_records_ = shipment_bytes_ = 0;
  std::uint64_t ordinal = next_ordinal_;
  const std::int64_t records =
      breaker_.probes() ? std::min(setup_.options.batch_records, kProbeRecords) : setup_.options.batch_records;
  auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(records, 1));
  if (cautious_ > 0) most = std::min(most, cautious_);
  while (!waiting_.empty() && shipment_records_ < most && shipment_bytes_ < setup_.options.batch_bytes.value) {
    ShippingNode* node = waiting_.head();
    const std::uint64_t left = most - shipment_records_;
    if (node->count() > left) split(node, static_cast<std::uint32_t>(left));
    take_waiting(node);
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
  breaker_.offering();
  std::uint64_t taken = 0;
  try {
    taken = output_->send({parts_, first, offered, shipment_bytes_});
  } catch (const std::exception& e) {
    offering_ = false;
    ready_ = true;
    breaker_.none_taken();
    contain(first, e.what());
    after_turn_.want();
    return false;
  }
  offering_ = false;
  if (taken > 0 && cautious_ > 0) look_closer(0);
  LW_CHECK(taken <= offered);
  if (taken == offered) {
    ready_ = true;
    return true;
  }
  return_untaken(first + taken);
  next_ordinal_ = first + taken;
  if (std::exchange(refused_, false)) count_refusal();
  if (taken > 0) return true;
  breaker_.none_taken();
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

void Lane::take_waiting(ShippingNode* node) {
  waiting_.remove(node);
  waiting_bytes_ -= node->bytes;
  waiting_count_ -= node->count();
}

// Into its place by order: what was given back during an offer goes before what was not taken of it.
void Lane::place_waiting(ShippingNode* node) {
  ShippingNode* at = waiting_.head();
  while (at != nullptr && at->before(*node)) at = at->next;
  waiting_.insert_before(node, at);
  waiting_bytes_ += node->bytes;
  waiting_count_ += node->count();
}

// Cuts a node behind its first `keep` records; the rest, a node in no list, is returned.
ShippingNode* Lane::cut(ShippingNode* node, std::uint32_t keep) {
  ShippingNode* rest = nodes_.make();
  rest->batch = node->batch;
  rest->first = node->first + keep;
  rest->last = node->last;
  rest->tries = node->tries;
  rest->order = node->order;
  rest->queued_at = node->queued_at;
  rest->claim = node->claim;
  rest->stored = node->stored;
  rest->spilling = node->spilling;
  rest->sibling = std::exchange(node->sibling, node->stored == ShippingNode::Stored::under_way ? rest : nullptr);
  const std::uint64_t bytes = weight_of(*node->batch, node->first, rest->first);
  rest->bytes = node->bytes > bytes ? node->bytes - bytes : 0;
  node->last = rest->first;
  node->bytes -= rest->bytes;
  setup_.ledger.owe(*node->claim, setup_.index);
  return rest;
}

// Cuts a node behind its first `keep` records. The rest waits, in its place, and is returned.
ShippingNode* Lane::split(ShippingNode* node, std::uint32_t keep) {
  const bool waits = waiting_.head() == node;
  ShippingNode* rest = cut(node, keep);
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
  take_waiting(rest);
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

void Lane::hurry() {
  // Once: a peer that refuses is asked each kHurriedWait.
  if (!std::exchange(hurried_, true)) {
    resume_at_ = 0;
    breaker_.hurry();
    if (setup_.spool != nullptr && !lists_empty()) start_logging();  // what the peer does not take now is kept
  }
  pump();
}

void Lane::abandon() {
  output_ = nullptr;
  timer_.cancel();
  compact_timer_.cancel();
  age_timer_.cancel();
  spill_timer_.cancel();
  for (ShippingList* list : {&sent_, &waiting_, &burying_, &spilling_}) {
    while (!list->empty()) {
      ShippingNode* node = list->head();
      list->remove(node);
      nodes_.take_back(node);
    }
  }
  bytes_ = waiting_bytes_ = waiting_count_ = sent_count_ = spill_bytes_ = 0;
  logging_ = false;
}

void Lane::refresh_gauges(std::uint64_t left_bytes) {
  metrics_.left_bytes.set(static_cast<double>(left_bytes));
  if (setup_.spool != nullptr) setup_.spool->refresh_gauges(unstored_ ? bytes_ : spill_bytes_);
  metrics_.in_flight.set(static_cast<double>(sent_count_));
  metrics_.queue_bytes.set(static_cast<double>(bytes_));
  const ShippingNode* oldest = !sent_.empty() ? sent_.head() : waiting_.head();
  metrics_.oldest_waiting.set(oldest != nullptr ? seconds(setup_.loop.now() - oldest->queued_at) : 0);
}

bool Lane::stuck(Nanos age) const {
  if (sent_.empty() && waiting_.empty()) return false;
  const Nanos since = setup_.loop.now() - age;
  return (!sent_.empty() ? sent_.head() : waiting_.head())->queued_at < since && delivered_at_ < since;
}

}  // namespace logweir
