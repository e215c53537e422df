// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace logweir {

struct Receipt;

// Interface. The ledger, as a receipt knows it.
class ReceiptKeeper {
 public:
  virtual ~ReceiptKeeper() = default;
  // Nobody upstream of the lanes holds this receipt any more: its records are routed, dropped or filtered. (Lanes may
  // still owe it.) Called on the worker's thread.
  virtual void routed(Receipt& receipt) = 0;
};

// Resource, owned by the keeper and pooled. The claim to one range of one source's bytes. Everything that is derived
// from those bytes holds it; lanes that owe something for it are counted in `owed`.
struct Receipt {
  ReceiptKeeper* keeper = nullptr;
  void* source = nullptr;   // the keeper's
  Receipt* next = nullptr;  // the keeper's order list: the next range of the same source
  std::uint64_t begin = 0;  // positions in the source, [begin, end)
  std::uint64_t end = 0;
  std::uint32_t holds = 0;  // ReceiptRefs upstream of the lanes
  bool is_routed = false;
  std::vector<std::uint32_t> owed;     // per lane: deliveries not yet settled
  std::vector<std::uint64_t> reached;  // per lane: all records below it are settled, though others are owed
};

// Value, copies count. Held by batches until they are routed and by filters that keep records back.
class ReceiptRef {
 public:
  ReceiptRef() = default;
  explicit ReceiptRef(Receipt* receipt) : receipt_(receipt) {
    if (receipt_ != nullptr) ++receipt_->holds;
  }
  ReceiptRef(const ReceiptRef& other) : ReceiptRef(other.receipt_) {}
  ReceiptRef(ReceiptRef&& other) noexcept : receipt_(std::exchange(other.receipt_, nullptr)) {}
  ReceiptRef& operator=(ReceiptRef other) noexcept {
    std::swap(receipt_, other.receipt_);
    return *this;
  }
  ~ReceiptRef() { reset(); }
  void reset() {
    Receipt* receipt = std::exchange(receipt_, nullptr);
    if (receipt != nullptr && --receipt->holds == 0) receipt->keeper->routed(*receipt);
  }
  // Lets go without a word: the receipt is never routed, and its range will be read again by a later run.
  void forget() { receipt_ = nullptr; }
  [[nodiscard]] Receipt* get() const { return receipt_; }
  Receipt* operator->() const { return receipt_; }
  [[nodiscard]] explicit operator bool() const { return receipt_ != nullptr; }

 private:
  Receipt* receipt_ = nullptr;
};

}  // namespace logweir
