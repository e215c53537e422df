// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "loop/loop.h"
#include "metrics/metrics.h"
#include "plugin/input.h"

namespace logweir {

// Resource, one per input and worker. Pauses are counted, since several parties may ask: each lane that is full, the
// pool, the stop. The input is told of the first and, later in a turn of its own, of the end of the last.
class Gate {
 public:
  // `reasons`: how many parties there are.
  Gate(Loop& loop, std::shared_ptr<Counter> paused_ms, std::size_t reasons)
      : loop_(loop), paused_ms_(std::move(paused_ms)), held_(reasons, false), after_turn_(loop, [this] { let_go(); }) {}

  void attach(Input* input) { input_ = input; }
  void hold(std::size_t reason) {
    if (held_[reason]) return;
    held_[reason] = true;
    if (holds_++ > 0 || told_) return;
    told_ = true;
    since_ = loop_.now();
    if (input_ != nullptr) input_->pause();
  }
  void release(std::size_t reason) {
    if (!held_[reason]) return;
    held_[reason] = false;
    if (--holds_ == 0) after_turn_.want();
  }
  [[nodiscard]] bool held() const { return holds_ > 0; }
  // Adds a pause that still lasts to the counter, for a scrape.
  void refresh() {
    if (!told_) return;
    const Nanos now = loop_.now();
    paused_ms_->add(static_cast<std::uint64_t>((now - since_) / kMillisecond));
    since_ = now - (now - since_) % kMillisecond;
  }

 private:
  void let_go() {
    if (holds_ > 0 || !told_) return;
    refresh();
    told_ = false;
    if (input_ != nullptr) input_->resume();
  }

  Loop& loop_;
  std::shared_ptr<Counter> paused_ms_;  // shared with the scrape, which may come later than our end
  Input* input_ = nullptr;
  std::vector<bool> held_;
  std::size_t holds_ = 0;
  bool told_ = false;
  Nanos since_ = 0;
  AfterTurn after_turn_;
};

}  // namespace logweir
