// SPDX-License-Identifier: Apache-2.0
// The lane and its spool: when records go there, and how they come back.
#include <algorithm>

#include "pipeline/lane.h"

namespace logweir {

using Stored = ShippingNode::Stored;

// All that the lane holds goes to the spool, oldest first, so that nothing newer is stored before it: a source would
// be read again from what is missing.
void Lane::start_logging() {
  if (std::exchange(logging_, true)) return;
  unstored_ = true;
  setup_.log.debug("records go to the spool from here on");
}

void Lane::stop_logging() {
  logging_ = unstored_ = false;
  setup_.spool->not_needed();
  setup_.log.debug("the spool is empty; records are kept in memory alone");
}

void Lane::mind_spool() {
  if (setup_.spool == nullptr || output_ == nullptr || !logging_) return;
  const std::uint64_t budget = setup_.options.queue_bytes.value;
  pass_by_spool();
  store_some();
  if (waiting_bytes_ < budget / 4) setup_.spool->read_more();
  const bool fails = setup_.loop.now() < resume_at_;
  const bool needed = setup_.options.durable || hurried_ || fails || bytes_ > budget / 4;
  if (!needed && spilling_.empty() && setup_.spool->idle()) stop_logging();
}

// A peer that has recovered gets what is on its way to the spool at once, when nothing older is there. It is also the
// way out when the spool can't be written.
void Lane::pass_by_spool() {
  if (setup_.options.durable || !setup_.spool->idle()) return;
  while (!spilling_.empty() && waiting_bytes_ < setup_.options.queue_bytes.value / 4) {
    ShippingNode* const node = spilling_.head();
    spilling_.remove(node);
    spill_bytes_ -= node->bytes;
    node->spilling = false;
    node->order = next_order_++;
    add_waiting(node);
    unstored_ = true;
  }
}

// The queue is full: a peer that fails now, or has been too slow for a while, is spilled for; to one that keeps up in
// bursts the source is held back instead, which costs no disk.
void Lane::consider_spill() {
  if (setup_.spool == nullptr || setup_.options.when_full != WhenFull::spill || logging_ || !full_) return;
  const Nanos now = setup_.loop.now();
  if (now < resume_at_ || now >= full_since_ + kPatience) {
    start_logging();
    mind_spool();
    update_full();
  } else if (!spill_timer_.armed()) {
    spill_timer_.arm(full_since_ + kPatience, kPatience / 8);
  }
}

bool Lane::may_leave() const {
  return full_ && logging_ && !setup_.options.durable && setup_.options.when_full == WhenFull::spill;
}

Lane::Appetite Lane::appetite() const {
  const std::uint64_t budget = setup_.options.queue_bytes.value;
  const bool nothing_older = !logging_ || (spilling_.empty() && !setup_.spool->has_unread());
  const bool fails = setup_.loop.now() < resume_at_;
  if (nothing_older && !fails && waiting_bytes_ < budget / 4) return Appetite::peer;
  const bool stores = logging_ && setup_.spool->fault().empty() && spill_bytes_ < budget / 4;
  return stores || (!logging_ && bytes_ <= budget) ? Appetite::spool : Appetite::none;
}

void Lane::store_some() {
  if (!setup_.spool->can_write()) return;
  bool room = true;
  if (unstored_) {
    // By age: what came back from the peer waits, though it is older than what is still sent.
    ShippingNode* sent = sent_.head();
    ShippingNode* waiting = waiting_.head();
    while (room && (sent != nullptr || waiting != nullptr)) {
      const bool from_sent = waiting == nullptr || (sent != nullptr && sent->before(*waiting));
      ShippingNode*& node = from_sent ? sent : waiting;
      if (node->stored == Stored::no) room = add_to_write(node, from_sent ? sent_ : waiting_);
      node = node->next;
    }
    unstored_ = !room;
  }
  for (ShippingNode* node = spilling_.head(); room && node != nullptr; node = room ? node->next : nullptr) {
    room = add_to_write(node, spilling_);
  }
  setup_.spool->write();
}

bool Lane::add_to_write(ShippingNode* node, ShippingList& list) {
  switch (setup_.spool->add(*node)) {
    case LaneSpool::Added::added:
      node->stored = Stored::under_way;
      return true;
    case LaneSpool::Added::full:
      return false;
    case LaneSpool::Added::too_large:
      break;
  }
  const std::uint32_t fitting = setup_.spool->fitting();
  const std::uint32_t keep = std::max(fitting, 1U);
  if (node->count() > keep) {
    ShippingNode* const rest = cut(node, keep);
    rest->ordinal = node->ordinal + keep;
    rest->sent_at = node->sent_at;
    list.insert_before(rest, node->next);
  }
  if (fitting > 0) return add_to_write(node, list);
  if (!node->spilling) {
    node->stored = Stored::never;  // it stays where it is, and its source waits for it
    return true;
  }
  spilling_.remove(node);
  spill_bytes_ -= node->bytes;
  drop(node, "too_large_for_spool", metrics_.dropped);
  return false;  // the list has changed
}

std::uint64_t Lane::stored_records() const {
  std::uint64_t count = setup_.spool != nullptr ? setup_.spool->unread() : 0;
  for (const ShippingList* list : {&sent_, &waiting_}) {
    for (const ShippingNode* node = list->head(); node != nullptr; node = node->next) {
      if (node->stored == Stored::yes) count += node->count();
    }
  }
  return count;
}

void Lane::stored(bool ok) {
  if (!ok) unstored_ = logging_;
  for (const LaneSpool::Piece& piece : setup_.spool->pieces()) piece_stored(piece, ok);
}

// The nodes of a piece: what was one when the write began.
void Lane::piece_stored(const LaneSpool::Piece& piece, bool ok) {
  const bool spilled = piece.node->spilling;
  const bool has_room = waiting_bytes_ + piece.node->bytes <= setup_.options.queue_bytes.value / 2;
  const bool stays = !spilled || (has_room && setup_.spool->is_next(piece));
  ReceiptRef claim;
  if (ok && stays) claim = setup_.spool->claim(piece);
  if (ok && !stays) setup_.spool->leave(piece);
  for (ShippingNode *node = piece.node, *next = nullptr; node != nullptr; node = next) {
    next = std::exchange(node->sibling, nullptr);
    if (node->claim == nullptr) {  // it has ended meanwhile
      nodes_.take_back(node);
      continue;
    }
    node->stored = ok ? Stored::yes : Stored::no;
    if (!ok) continue;
    Receipt* const source = std::exchange(node->claim, claim.get());
    if (stays) setup_.ledger.owe(*node->claim, setup_.index);
    if (node->spilling) {
      spilling_.remove(node);
      spill_bytes_ -= node->bytes;
      node->spilling = false;
      if (stays) {
        node->order = next_order_++;  // older records may have come back out of the spool since it was enqueued
        add_waiting(node);
      } else {
        bytes_ -= node->bytes;
        nodes_.take_back(node);
      }
    }
    setup_.ledger.settled(*source, setup_.index);
  }
}

void Lane::came_back(BatchRef batch, const ReceiptRef& /*claim: the batch knows it*/) {
  ShippingNode* const node = make_node(batch, 0, static_cast<std::uint32_t>(batch->records.size()));
  node->stored = Stored::yes;
  ++next_order_;
  add_waiting(node);
}

void Lane::spool_ready() {
  mind_spool();
  update_full();
  pump();
}

}  // namespace logweir
