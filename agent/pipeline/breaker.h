// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace logweir {

// Value, one per lane. A circuit breaker: it opens after so many failures in a row, or when too large a share of the
// attempts in a window failed; while it is open nothing is offered; then one probe is, and what became of it decides.
// An answer of the peer, be it a refusal of the records, closes it. Times are monotonic and passed in.
class Breaker {
 public:
  enum class State : unsigned char { closed, half_open, open };  // also the metric's figures

  struct Options {
    std::uint64_t failures = 5;  // in a row; 0: that alone never opens it
    std::uint64_t percent = 0;   // of the attempts in `window`; 0: not looked at
    Nanos window = 30 * kSecond;
    std::uint64_t attempts = 20;  // fewer in a window say nothing
    Nanos pause = 0;              // how long it stays open; the lane's back-off may be longer and also counts
  };
  explicit Breaker(const Options& options) : options_(options) {}

  // Whether the lane may offer records now. While a probe is out: no.
  [[nodiscard]] bool allows(Nanos now) const {
    return state_ == State::closed || (!probing_ && (state_ == State::half_open || now >= open_until_));
  }
  // What is offered must be small: its outcome decides.
  [[nodiscard]] bool probes() const { return state_ != State::closed; }
  // Nothing is offered before.
  [[nodiscard]] Nanos open_until() const { return state_ == State::open ? open_until_ : 0; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::uint64_t failures_in_row() const { return in_row_; }

  // Around an offer that `allows` let through.
  void offering() {
    if (state_ == State::open) state_ = State::half_open;
    probing_ = state_ == State::half_open;
  }
  void none_taken() { probing_ = false; }

  // An attempt failed. True when that opened it (again after a probe counts as well).
  bool failed(Nanos now) {
    ++in_row_;
    roll(now);
    ++current_.failed;
    const bool trips =
        state_ == State::half_open || (options_.failures > 0 && in_row_ >= options_.failures) || rate_too_high();
    if (state_ == State::open || !trips) return false;
    state_ = State::open;
    probing_ = false;
    open_until_ = now + options_.pause;
    return true;
  }
  // The peer answered. True when that closed it.
  bool answered(Nanos now) {
    in_row_ = 0;
    roll(now);
    ++current_.answered;
    if (state_ == State::closed) return false;
    state_ = State::closed;
    probing_ = false;
    current_ = previous_ = {};
    return true;
  }
  // Stopping: probe at once, and no more pauses.
  void hurry() { options_.pause = open_until_ = 0; }

 private:
  struct Half {
    std::uint64_t failed = 0;
    std::uint64_t answered = 0;
  };

  // The window is two halves, so it covers between half and all of `window`.
  void roll(Nanos now) {
    const Nanos half = std::max<Nanos>(options_.window / 2, 1);
    if (now < half_began_ + half) return;
    previous_ = now < half_began_ + 2 * half ? current_ : Half{};
    current_ = {};
    half_began_ = now;
  }
  [[nodiscard]] bool rate_too_high() const {
    if (options_.percent == 0) return false;
    const std::uint64_t failed = previous_.failed + current_.failed;
    const std::uint64_t all = failed + previous_.answered + current_.answered;
    return all >= std::max<std::uint64_t>(options_.attempts, 1) && failed * 100 >= options_.percent * all;
  }

  Options options_;
  State state_ = State::closed;
  bool probing_ = false;
  std::uint64_t in_row_ = 0;
  Nanos open_until_ = 0;
  Nanos half_began_ = 0;
  Half previous_;
  Half current_;
};

}  // namespace logweir
