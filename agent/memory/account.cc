// SPDX-License-Identifier: Apache-2.0
#include "memory/account.h"

#include "base/check.h"

namespace logweir {

Budget::Budget(std::uint64_t limit)
    : limit_(limit), reserve_(static_cast<std::int64_t>(limit / 8)), free_(static_cast<std::int64_t>(limit)) {}

bool Budget::take(std::uint64_t bytes, Use use) {
  const auto want = static_cast<std::int64_t>(bytes);
  const std::int64_t floor = use == Use::intake ? reserve_ : 0;
  std::int64_t now = free_.load(std::memory_order_relaxed);
  do {
    if (now - want < floor && use != Use::rescue) return false;
  } while (!free_.compare_exchange_weak(now, now - want, std::memory_order_relaxed));
  return true;
}

std::uint64_t Budget::taken() const {
  return limit_ - static_cast<std::uint64_t>(free_.load(std::memory_order_relaxed));
}

Account::~Account() { budget_.give(leased_); }

bool Account::charge(std::uint64_t bytes, Use use) {
  if (use == Use::intake && !budget_.intake_fits(bytes, leased_ - used_)) return false;
  if (used_ + bytes > leased_) {
    const std::uint64_t need = used_ + bytes - leased_;
    const std::uint64_t block = (need + kBlock - 1) / kBlock * kBlock;
    if (budget_.take(block, use)) {
      leased_ += block;
    } else if (budget_.take(need, use)) {
      leased_ += need;
    } else {
      return false;
    }
  }
  used_ += bytes;
  return true;
}

void Account::release(std::uint64_t bytes) {
  LW_CHECK(bytes <= used_);
  used_ -= bytes;
  const std::uint64_t spare = leased_ - used_;
  if (spare < 2 * kBlock) return;
  const std::uint64_t back = spare - kBlock;
  leased_ -= back;
  budget_.give(back);
}

}  // namespace logweir
