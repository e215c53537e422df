// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/backoff.h"
#include "base/log.h"
#include "loop/loop.h"
#include "metrics/metrics.h"
#include "pipeline/breaker.h"
#include "pipeline/burial.h"
#include "pipeline/compact.h"
#include "pipeline/lane_metrics.h"
#include "pipeline/lane_options.h"
#include "pipeline/lane_spool.h"
#include "pipeline/ledger.h"
#include "pipeline/shedding.h"
#include "pipeline/shipping_list.h"
#include "plugin/output.h"

namespace logweir {

// Resource, one per output and worker: the one place where records wait. Memory mode: a queue with a budget, gathering
// (send while the peer is idle, gather while it is busy or until `linger`), retry with one back-off for the whole lane.
// Records leave in order; what must be sent again goes before anything newer.
// Logging (durable, or when it may spill and its queue stays full): whatever the lane holds goes to the spool, and the
// source is done with it once it is synced. What there is room for stays in memory as well; the rest is read back in
// order as the queue drains, and all that is new goes behind it.
class Lane final : public OutputHost, private LaneSpoolUser {
 public:
  struct Setup {
    Loop& loop;
    Ledger& ledger;
    Metrics& metrics;
    Pool& pool;
    Log log;
    std::string name;
    std::size_t index = 0;  // in the ledger
    LaneOptions options;
    Nanos linger = 0;
    std::uint64_t seed = 0;             // of the back-off's jitter
    std::function<void()> room;         // the queue fell to its low mark after it had been full
    Burial* burial = nullptr;           // where rejected records go; may be null: they are dropped
    LaneSpool* spool = nullptr;         // may be null
    std::function<void()> hungry = {};  // there may be room for what the lane left; called often, may be null
  };
  explicit Lane(Setup setup);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() override;

  void attach(Output& output) { output_ = &output; }

  // Takes records [first, last) of a sealed batch. By policy the newest or the oldest records are dropped when the
  // budget is used up; with `block` they are always taken, and `full` tells sources to stop.
  void enqueue(const BatchRef& batch, std::uint32_t first, std::uint32_t last);
  [[nodiscard]] bool full() const { return full_; }

  // Value. Who would take records that are read again for this lane.
  enum class Appetite : unsigned char { none, spool, peer };
  [[nodiscard]] Appetite appetite() const;
  // It is full and waits for the disk: what can be read again need not wait for it here.
  [[nodiscard]] bool may_leave() const;
  // The same, and it is not so far over its budget that no batch may be tried any more, to be left or taken.
  [[nodiscard]] bool may_be_asked() const {
    return may_leave() && spill_bytes_ <= setup_.options.queue_bytes.value + kOverBudget;
  }
  void count_left(std::uint64_t records) { metrics_.left.add(records); }

  // Stopping: no more lingering, waits for the peer are cut short.
  void hurry();
  // Lets go of everything, unsettled: sources that can be read again will be.
  void abandon();

  [[nodiscard]] bool empty() const { return lists_empty() && (setup_.spool == nullptr || !setup_.spool->has_unread()); }
  [[nodiscard]] std::uint64_t waiting_records() const {
    return waiting_.count_records() + sent_.count_records() + burying_.count_records() + spilling_.count_records() +
           (setup_.spool != nullptr ? setup_.spool->unread() : 0);
  }
  [[nodiscard]] std::uint64_t stored_records() const;  // of those that wait, in the spool
  [[nodiscard]] const std::string& name() const { return setup_.name; }
  [[nodiscard]] std::size_t index() const { return setup_.index; }
  void refresh_gauges(std::uint64_t left_bytes);  // of what it left where it is
  [[nodiscard]] const Breaker& breaker() const { return breaker_; }
  [[nodiscard]] const std::string& last_failure() const { return last_failure_; }  // the output's word for it
  [[nodiscard]] std::string spool_fault() const { return setup_.spool != nullptr ? setup_.spool->fault() : ""; }
  // Records have waited longer than `age` and none was delivered for as long.
  [[nodiscard]] bool stuck(Nanos age) const;

  // OutputHost
  void ready() override;
  void settle(std::uint64_t first, std::uint64_t count, Outcome outcome, std::string_view reason, Nanos not_before,
              std::string_view answer) override;
  void unavailable(std::string_view reason, const Status& why) override;

 private:
  static constexpr Nanos kPatience =
      200 * kMillisecond;  // with a peer that is too slow, before its records are spilled

  static constexpr std::uint64_t kOverBudget = 4 << 20;

  [[nodiscard]] bool lists_empty() const {
    return waiting_.empty() && sent_.empty() && burying_.empty() && spilling_.empty();
  }
  // LaneSpoolUser
  void stored(bool ok) override;
  void came_back(BatchRef batch, const ReceiptRef& claim) override;
  void spool_ready() override;

  void start_logging();
  void stop_logging();
  void mind_spool();
  void pass_by_spool();
  void consider_spill();
  void store_some();
  bool add_to_write(ShippingNode* node, ShippingList& list);
  void piece_stored(const LaneSpool::Piece& piece, bool ok);
  void add_waiting(ShippingNode* node);
  ShippingNode* cut(ShippingNode* node, std::uint32_t keep);
  ShippingNode* make_node(const BatchRef& batch, std::uint32_t first, std::uint32_t last);
  void admit(const BatchRef& batch, std::uint32_t first, std::uint32_t last);
  void enqueue_severe(const BatchRef& batch, std::uint32_t first, std::uint32_t last);
  [[nodiscard]] bool shedding() const;
  void take_waiting(ShippingNode* node);
  void expire();
  void pump();
  [[nodiscard]] bool due(Nanos now) const;
  [[nodiscard]] Nanos may_offer_at() const { return std::max(resume_at_, breaker_.open_until()); }
  bool offer(Nanos now);
  void build_shipment(Nanos now);
  void return_untaken(std::uint64_t from);
  void arm_timer(Nanos now);
  ShippingNode* split(ShippingNode* node, std::uint32_t keep);
  ShippingNode* split_sent(ShippingNode* node, std::uint64_t ordinal);
  void place_waiting(ShippingNode* node);
  void finish(ShippingNode* node);
  void back_to_waiting(ShippingNode* node);
  void count_refusal();
  void end_claim(ShippingNode* node);
  [[nodiscard]] bool left_before(const ShippingNode& node) const;
  void contain(std::uint64_t first, std::string_view what);
  void look_closer(std::uint64_t failed);
  void bury(ShippingNode* node, std::string_view reason, std::string_view answer);
  void buried(ShippingNode* node, std::uint32_t stored, std::string_view reason);
  void count_dropped(std::uint64_t count, std::string_view reason);
  void drop(ShippingNode* node, std::string_view reason, Counter& outcome);
  void back_off(Nanos not_before, std::string_view reason);
  void peer_answered();
  void make_room(std::uint64_t incoming);
  void update_full();
  void compact_old();

  Setup setup_;
  Output* output_ = nullptr;  // owned by the pipeline
  LaneMetrics metrics_;
  NodePool nodes_;
  ShippingList waiting_;
  ShippingList sent_;
  ShippingList burying_;     // on their way to the dead letters, in order
  ShippingList spilling_;    // on their way to the spool, in order
  std::vector<Part> parts_;  // of the shipment on offer
  std::uint64_t bytes_ = 0;  // waiting and sent
  std::uint64_t waiting_bytes_ = 0;
  std::uint64_t waiting_count_ = 0;
  std::uint64_t spill_bytes_ = 0;
  std::uint64_t sent_count_ = 0;
  std::uint64_t next_order_ = 0;  // of the next batch
  std::uint64_t next_ordinal_ = 0;
  std::uint64_t shipment_records_ = 0;
  std::uint64_t shipment_bytes_ = 0;
  std::uint64_t cautious_ = 0;  // most records in a shipment while a poison record is looked for; 0: as usual
  std::uint64_t retry_limit_;
  Nanos resume_at_ = 0;  // backing off until then
  Nanos delivered_at_ = 0;
  Nanos full_since_ = 0;
  Backoff backoff_;
  Breaker breaker_;
  std::string last_failure_;
  Compactor compactor_;
  std::uint64_t compacted_to_ = 0;  // nodes of an order below it were looked at
  Shedder shedder_;
  Timer compact_timer_;
  Timer age_timer_;
  Timer spill_timer_;
  Timer timer_;
  AfterTurn after_turn_;
  LogLimit drop_log_;
  bool ready_ = true;
  bool pumping_ = false;
  bool offering_ = false;  // inside the output's send()
  bool refused_ = false;   // it said meanwhile that there is no peer
  bool full_ = false;
  bool hurried_ = false;
  bool logging_ = false;
  bool unstored_ = false;  // logging, and there are nodes outside of spilling_ that are not in the spool yet
};

}  // namespace logweir
