// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "base/check.h"

namespace logweir {

// Value. Which frames of a spool are done (delivered, given up, damaged), told in any order, and so below which
// sequence all are. Keeps a bit for each frame from there to the last one done; all calls O(1) amortised.
class Frontier {
 public:
  explicit Frontier(std::uint64_t first = 1) : base_(first / 64), first_(first) {}

  // All frames below this are done.
  [[nodiscard]] std::uint64_t reached() const { return first_; }
  [[nodiscard]] bool is_done(std::uint64_t sequence) const {
    if (sequence < first_) return true;
    const std::uint64_t word = sequence / 64 - base_;
    return word < words_.size() && (words_[word] >> (sequence % 64) & 1) != 0;
  }
  // Once or more often for each.
  void done(std::uint64_t sequence) {
    if (sequence < first_) return;
    const std::uint64_t word = sequence / 64 - base_;
    LW_CHECK(word < kMostWords);
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= std::uint64_t{1} << (sequence % 64);
    advance();
  }
  // The same of [begin, end), also for long ranges.
  void done(std::uint64_t begin, std::uint64_t end) {
    if (begin <= first_) {
      if (end > first_) move_to(end);
      return;
    }
    for (; begin < end; ++begin) done(begin);
  }

 private:
  // 128 MiB of bits: 8 billion frames is beyond any spool; a jump so far is a bug.
  static constexpr std::uint64_t kMostWords = 1 << 24;

  void move_to(std::uint64_t first) {
    first_ = first;
    while (!words_.empty() && base_ < first / 64) {
      words_.pop_front();
      ++base_;
    }
    base_ = first / 64;
    advance();
  }
  void advance() {
    while (!words_.empty()) {
      const std::uint64_t rest = ~(words_.front() >> (first_ % 64));
      const auto run = static_cast<std::uint64_t>(rest == 0 ? 64 : __builtin_ctzll(rest));
      if (first_ % 64 + run < 64) {
        first_ += run;
        return;
      }
      first_ = (first_ / 64 + 1) * 64;
      words_.pop_front();
      ++base_;
    }
  }

  std::deque<std::uint64_t> words_;
  std::uint64_t base_;  // number of the first word
  std::uint64_t first_;
};

}  // namespace logweir
