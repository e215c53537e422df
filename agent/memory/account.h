// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace logweir {

// What memory is wanted for. An eighth of the budget is kept for the way out (encoding, spool, partial lines), so
// that a full intake can never stop what would empty it. `rescue` is charged even over the limit: for one thing at a
// time that has waited long, may be larger than the eighth, and without which nothing gets smaller.
enum class Use : unsigned char { intake, outflow, rescue };

// Value. How often in a row one thing that must get out found no memory, and what may be asked for it then.
class Hunger {
 public:
  [[nodiscard]] Use use() const { return failed_ < kPatience ? Use::outflow : Use::rescue; }
  void failed() { ++failed_; }
  void fed() { failed_ = 0; }

 private:
  static constexpr int kPatience = 25;
  int failed_ = 0;
};

// Resource. The process's budget of bytes that may hold log data; any thread. Workers lease from it in blocks.
class Budget {
 public:
  explicit Budget(std::uint64_t limit);
  [[nodiscard]] bool take(std::uint64_t bytes, Use use);
  void give(std::uint64_t bytes) { free_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed); }
  // Whether an intake of `bytes` out of a lease with `spare` unused bytes leaves the eighth for the way out alone.
  [[nodiscard]] bool intake_fits(std::uint64_t bytes, std::uint64_t spare) const {
    return free_.load(std::memory_order_relaxed) + static_cast<std::int64_t>(spare) -
               static_cast<std::int64_t>(bytes) >=
           reserve_;
  }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  [[nodiscard]] std::uint64_t taken() const;

 private:
  const std::uint64_t limit_;
  const std::int64_t reserve_;
  std::atomic<std::int64_t> free_;
};

// Resource. One worker's view of the budget; that worker's thread only. Holds a lease a little larger than what is
// used, so that most charges touch no shared line.
class Account {
 public:
  explicit Account(Budget& budget) : budget_(budget) {}
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  ~Account();

  // False when the budget has no room for that use; nothing is charged then.
  [[nodiscard]] bool charge(std::uint64_t bytes, Use use);
  void release(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t used() const { return used_; }
  [[nodiscard]] const Budget& budget() const { return budget_; }

 private:
  static constexpr std::uint64_t kBlock = 1 << 20;
  Budget& budget_;
  std::uint64_t leased_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace logweir
