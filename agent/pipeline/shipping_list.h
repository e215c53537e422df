// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "record/batch.h"

namespace logweir {

// Resource, pooled by its NodePool. A run of records in a lane. The run is a claim on a receipt, the batch's or the
// spool's: one debt per node, so a node that is split owes once more.
struct ShippingNode {
  // Whether the run is in the lane's spool as well. Under way: a write has it; a node that ends meanwhile lets go of
  // its claim and stays until the write is done. Never: it can't be.
  enum class Stored : std::uint8_t { no, under_way, yes, never };

  BatchRef batch;
  Receipt* claim = nullptr;
  ShippingNode* sibling = nullptr;  // the next part of what was one node when its write began
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t tries = 0;
  Stored stored = Stored::no;
  bool spilling = false;      // only waits to be stored
  std::uint64_t order = 0;    // of its batch in the lane; with `first` the order in which records must leave
  std::uint64_t ordinal = 0;  // of its first record, while it is sent
  std::uint64_t bytes = 0;    // what it counts against the lane's budget
  Nanos queued_at = 0;
  Nanos sent_at = 0;
  ShippingNode* previous = nullptr;
  ShippingNode* next = nullptr;

  [[nodiscard]] std::uint32_t count() const { return last - first; }
  [[nodiscard]] bool before(const ShippingNode& other) const {
    return order != other.order ? order < other.order : first < other.first;
  }
};

// Resource. A doubly linked list of nodes that it does not own.
class ShippingList {
 public:
  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  [[nodiscard]] ShippingNode* head() const { return head_; }
  [[nodiscard]] ShippingNode* tail() const { return tail_; }
  void insert_before(ShippingNode* node, ShippingNode* at);  // at == nullptr: at the end
  void push_back(ShippingNode* node) { insert_before(node, nullptr); }
  void push_front(ShippingNode* node) { insert_before(node, head_); }
  void remove(ShippingNode* node);
  [[nodiscard]] std::uint64_t count_records() const;  // by walking

 private:
  ShippingNode* head_ = nullptr;
  ShippingNode* tail_ = nullptr;
};

// Resource. Makes nodes and takes them back.
class NodePool {
 public:
  ShippingNode* make();
  void take_back(ShippingNode* node);

 private:
  std::vector<std::unique_ptr<ShippingNode>> all_;
  std::vector<ShippingNode*> free_;
};

// Bytes that a run of records counts against a lane's budget: bodies and table rows.
std::uint64_t weight_of(const Batch& batch, std::uint32_t first, std::uint32_t last);

}  // namespace logweir
