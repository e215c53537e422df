// SPDX-License-Identifier: Apache-2.0
#include "app/recent_log.h"

namespace logweir {

void RecentLog::write(LogLevel level, std::string_view component, std::string_view text) {
  next_.write(level, component, text);
  written_[static_cast<std::size_t>(level)].fetch_add(1, std::memory_order_relaxed);
  if (level < LogLevel::warn) return;
  Line line{clock_.wall(), level, std::string(component), std::string(text.substr(0, kMostText))};
  const std::lock_guard lock(mutex_);
  if (lines_.size() == kMost) lines_.pop_back();
  lines_.push_front(std::move(line));
}

std::vector<RecentLog::Line> RecentLog::lines() const {
  const std::lock_guard lock(mutex_);
  return {lines_.begin(), lines_.end()};
}

std::uint64_t RecentLog::written(LogLevel level) const {
  return written_[static_cast<std::size_t>(level)].load(std::memory_order_relaxed);
}

std::string_view word_of(LogLevel level) {
  static constexpr std::array<std::string_view, 6> kWords = {"trace", "debug", "info", "warn", "error", "off"};
  return kWords[static_cast<std::size_t>(level)];
}

}  // namespace logweir
