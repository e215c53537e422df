// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"

namespace logweir {

// Resource. Passes own log lines on, counts them, and keeps the last warnings and errors for the status page. Any
// thread; only warnings and errors take a lock.
class RecentLog final : public LogSink {
 public:
  static constexpr std::size_t kMost = 50;
  static constexpr std::size_t kMostText = 1000;  // bytes of a line that are kept

  struct Line {
    Nanos time = 0;  // wall
    LogLevel level = LogLevel::warn;
    std::string component;
    std::string text;
  };

  RecentLog(LogSink& next, const Clock& clock) : next_(next), clock_(clock) {}
  void write(LogLevel level, std::string_view component, std::string_view text) override;
  [[nodiscard]] std::uint64_t dropped() const override { return next_.dropped(); }

  [[nodiscard]] std::vector<Line> lines() const;              // the newest first
  [[nodiscard]] std::uint64_t written(LogLevel level) const;  // how many of this level there were

 private:
  LogSink& next_;
  const Clock& clock_;
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(LogLevel::off) + 1> written_{};
  mutable std::mutex mutex_;
  std::deque<Line> lines_;
};

// "warn"
std::string_view word_of(LogLevel level);

}  // namespace logweir
