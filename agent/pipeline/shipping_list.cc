// SPDX-License-Identifier: Apache-2.0
#include "pipeline/shipping_list.h"

namespace logweir {

void ShippingList::insert_before(ShippingNode* node, ShippingNode* at) {
  node->next = at;
  node->previous = at != nullptr ? at->previous : tail_;
  (node->previous != nullptr ? node->previous->next : head_) = node;
  (at != nullptr ? at->previous : tail_) = node;
}

void ShippingList::remove(ShippingNode* node) {
  (node->previous != nullptr ? node->previous->next : head_) = node->next;
  (node->next != nullptr ? node->next->previous : tail_) = node->previous;
  node->previous = node->next = nullptr;
}

std::uint64_t ShippingList::count_records() const {
  std::uint64_t count = 0;
  for (const ShippingNode* node = head_; node != nullptr; node = node->next) count += node->count();
  return count;
}

ShippingNode* NodePool::make() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<ShippingNode>());
    free_.reserve(all_.capacity());
    return all_.back().get();
  }
  ShippingNode* node = free_.back();
  free_.pop_back();
  return node;
}

void NodePool::take_back(ShippingNode* node) {
  *node = ShippingNode{};
  free_.push_back(node);
}

std::uint64_t weight_of(const Batch& batch, std::uint32_t first, std::uint32_t last) {
  const std::uint64_t rows = static_cast<std::uint64_t>(last - first) * sizeof(Record);
  if (first == 0 && last == batch.records.size()) return batch.bytes + rows;
  std::uint64_t bytes = rows;
  for (std::uint32_t i = first; i < last; ++i) bytes += batch.records[i].size;
  return bytes;
}

}  // namespace logweir
