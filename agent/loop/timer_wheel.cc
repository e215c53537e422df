// SPDX-License-Identifier: Apache-2.0
#include "loop/timer_wheel.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/check.h"

namespace logweir {

namespace {

constexpr std::int64_t kNever = INT64_MAX;

bool is_empty(const TimerLink& ring) { return ring.next == &ring; }
void make_empty(TimerLink& ring) { ring.previous = ring.next = &ring; }

void push_back(TimerLink& ring, TimerLink& link) {
  link.previous = ring.previous;
  link.next = &ring;
  ring.previous->next = &link;
  ring.previous = &link;
}

void take_out(TimerLink& link) {
  link.previous->next = link.next;
  link.next->previous = link.previous;
}

void move_all(TimerLink& from, TimerLink& to) {
  if (is_empty(from)) return;
  from.next->previous = to.previous;
  from.previous->next = &to;
  to.previous->next = from.next;
  to.previous = from.previous;
  make_empty(from);
}

// The first bit that is set (or, with `flip` all ones, clear) at or after `from` and before `end`; `end` when none is.
std::uint32_t find_bit(const std::uint64_t* words, std::uint32_t from, std::uint32_t end, std::uint64_t flip) {
  while (from < end) {
    const std::uint64_t word = (words[from / 64] ^ flip) >> (from % 64);
    if (word != 0) return std::min(end, from + static_cast<std::uint32_t>(std::countr_zero(word)));
    from = (from / 64 + 1) * 64;
  }
  return end;
}

}  // namespace

TimerWheel::TimerWheel(Nanos now, Nanos tick) : tick_(tick), current_(std::max<Nanos>(now, 0) / tick) {
  LW_CHECK(tick > 0);
  for (TimerLink& slot : slots_) make_empty(slot);
  make_empty(coming_down_);
}

TimerWheel::~TimerWheel() { LW_CHECK(armed_ == 0); }

void TimerWheel::arm(Timer& timer, Nanos earliest, Nanos slack) {
  if (timer.armed()) {
    unlink(timer);
  } else {
    ++armed_;
  }
  earliest = std::max<Nanos>(earliest, 0);
  slack = std::clamp<Nanos>(slack, 0, INT64_MAX - earliest);
  const std::int64_t floor = advancing_ ? horizon_ + 1 : current_;
  timer.first_ = std::max(floor, earliest / tick_ + (earliest % tick_ != 0 ? 1 : 0));
  timer.last_ = std::max(timer.first_, (earliest + slack) / tick_);
  place(timer);
}

void TimerWheel::cancel(Timer& timer) {
  unlink(timer);
  timer.slot_ = Timer::kIdle;
  --armed_;
}

void TimerWheel::unlink(Timer& timer) {
  take_out(timer);
  const std::uint32_t slot = timer.slot_;
  if (slot < kSlots) --load_[slot];
  // A timer that is coming down still names the slot it left, which by now may hold others: only its ring is the truth.
  if (is_empty(slots_[slot])) occupied_[slot / kSlots][slot % kSlots / 64] &= ~(std::uint64_t{1} << (slot % 64));
}

void TimerWheel::place(Timer& timer) {
  std::int64_t at = timer.first_;
  if (at - current_ < kSlots) at = spread(timer);
  const std::int64_t away = at - current_;
  if (away >= kReach) at = current_ + kReach - 1;
  unsigned level = 0;
  while (level + 1 < kLevels && away >> (kBits * (level + 1)) != 0) ++level;
  insert(timer, level, at);
}

void TimerWheel::insert(Timer& timer, unsigned level, std::int64_t at) {
  const auto index = static_cast<std::uint32_t>(at >> (kBits * level)) % kSlots;
  const std::uint32_t slot = level * kSlots + index;
  soonest_[slot] = is_empty(slots_[slot]) ? at : std::min(soonest_[slot], at);
  push_back(slots_[slot], timer);
  if (level == 0) ++load_[index];
  occupied_[level][index / 64] |= std::uint64_t{1} << (index % 64);
  timer.slot_ = slot;
}

// Chooses the tick for a timer whose window begins within level 0. One behind the end of level 0 comes down later: it
// keeps a narrow window, since a second choice from a wide one would crowd the end.
std::int64_t TimerWheel::spread(Timer& timer) {
  const std::int64_t end = std::min(timer.last_, current_ + kSlots - 1);
  if (timer.first_ == end) return end;
  std::int64_t at = first_empty(timer.first_, end);
  if (at <= end) return at;
  const auto width = static_cast<std::uint64_t>(timer.last_ - timer.first_) + 1;
  at = timer.first_ + static_cast<std::int64_t>(random_below(width));
  if (at > end) {
    timer.first_ = std::max(timer.first_, at - kSamples / 2);
    timer.last_ = std::min(timer.last_, at + kSamples / 2);
    return at;
  }
  return least_loaded(timer.first_, end);
}

// Looks at a comb of slots; the comb shifts from call to call, so that all are looked at in turn.
std::int64_t TimerWheel::least_loaded(std::int64_t first, std::int64_t last) {
  const std::int64_t step = (last - first) / kSamples + 1;
  std::int64_t best = first + static_cast<std::int64_t>(comb_++ % static_cast<std::uint64_t>(step));
  for (std::int64_t at = best + step; at <= last; at += step) {
    if (load_[static_cast<std::size_t>(at) % kSlots] < load_[static_cast<std::size_t>(best) % kSlots]) best = at;
  }
  return best;
}

std::int64_t TimerWheel::first_empty(std::int64_t first, std::int64_t last) const {
  const auto count = static_cast<std::uint32_t>(last - first) + 1;
  const auto from = static_cast<std::uint32_t>(first) % kSlots;
  const std::uint32_t before_wrap = std::min(count, kSlots - from);
  const std::uint64_t* words = occupied_[0].data();
  std::uint32_t found = find_bit(words, from, from + before_wrap, ~std::uint64_t{0}) - from;
  if (found == before_wrap) found += find_bit(words, 0, count - before_wrap, ~std::uint64_t{0});
  return first + found;
}

// The golden ratio's multiples: spread more evenly than random ones.
std::uint64_t TimerWheel::random_below(std::uint64_t bound) {
  spin_ += 0x9E3779B97F4A7C15U;
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(spin_) * bound) >> 64);
}

// In units of the level: which slot holds something next. Level 0 looks from the current tick on; the others behind
// their current slot, which was emptied when the time entered it, so that what is in it belongs to its next round.
std::int64_t TimerWheel::next_occupied(unsigned level) const {
  const std::int64_t base = (current_ >> (kBits * level)) + (level == 0 ? 0 : 1);
  const auto from = static_cast<std::uint32_t>(base) % kSlots;
  const std::uint64_t* words = occupied_[level].data();
  const std::uint32_t found = find_bit(words, from, kSlots, 0);
  if (found < kSlots) return base + found - from;
  const std::uint32_t wrapped = find_bit(words, 0, from, 0);
  return wrapped < from ? base + kSlots - from + wrapped : kNever;
}

// The next tick at which a slot must be emptied: run on level 0, brought down on the others.
std::int64_t TimerWheel::next_event() const {
  std::int64_t event = kNever;
  for (unsigned level = 0; level < kLevels; ++level) {
    const std::int64_t slot = next_occupied(level);
    if (slot != kNever) event = std::min(event, slot << (kBits * level));
  }
  return event;
}

Nanos TimerWheel::next_due() const {
  if (armed_ == 0) return kNever;
  if (!is_empty(coming_down_)) return current_ * tick_;
  std::int64_t due = kNever;
  for (unsigned level = 0; level < kLevels; ++level) {
    const std::int64_t slot = next_occupied(level);
    if (slot != kNever) due = std::min(due, soonest_[level * kSlots + static_cast<std::uint32_t>(slot) % kSlots]);
  }
  return due > kNever / tick_ ? kNever : due * tick_;
}

void TimerWheel::enter(std::int64_t tick) {
  current_ = tick;
  for (unsigned level = 1; level < kLevels && tick % (std::int64_t{1} << (kBits * level)) == 0; ++level) {
    const auto index = static_cast<std::uint32_t>(tick >> (kBits * level)) % kSlots;
    move_all(slots_[level * kSlots + index], coming_down_);
    occupied_[level][index / 64] &= ~(std::uint64_t{1} << (index % 64));
  }
}

void TimerWheel::run_first(TimerLink& slot) {
  auto* timer = static_cast<Timer*>(slot.next);
  cancel(*timer);
  timer->due_();  // may have destroyed the timer
}

bool TimerWheel::advance(Nanos now, std::size_t most) {
  LW_CHECK(!advancing_);
  horizon_ = std::max(current_, std::max<Nanos>(now, 0) / tick_);
  if (armed_ == 0) {
    current_ = horizon_;
    return false;
  }
  advancing_ = true;
  bool more = true;
  while (more && most > 0) {
    TimerLink& slot = slots_[static_cast<std::uint32_t>(current_) % kSlots];
    if (!is_empty(coming_down_)) {
      auto* timer = static_cast<Timer*>(coming_down_.next);
      take_out(*timer);
      timer->first_ = std::clamp(horizon_, timer->first_, timer->last_);
      place(*timer);
      --most;
    } else if (!is_empty(slot)) {
      run_first(slot);
      --most;
    } else if (const std::int64_t event = next_event(); event <= horizon_) {
      enter(event);
    } else {
      current_ = horizon_;
      more = false;
    }
  }
  advancing_ = false;
  return more && next_due() <= horizon_ * tick_;
}

}  // namespace logweir
