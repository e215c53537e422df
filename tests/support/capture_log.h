// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace logweir {

// Keeps what was logged, as "warn: text", so that a test can look. Any thread.
class CaptureLog final : public LogSink {
 public:
  void write(LogLevel level, std::string_view component, std::string_view text) override {
    static constexpr std::string_view names[] = {"trace", "debug", "info", "warn", "error", "off"};
    std::string line(names[static_cast<std::size_t>(level)]);
    line += ": ";
    if (!component.empty()) line.append(component).append(": ");
    line += text;
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  [[nodiscard]] std::uint64_t dropped() const override { return 0; }

  [[nodiscard]] Log log(LogLevel level = LogLevel::debug) { return {*this, level, ""}; }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  // How many lines hold this text.
  [[nodiscard]] std::size_t count(std::string_view text) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(lines_.begin(), lines_.end(), [text](const std::string& line) {
      return line.find(text) != std::string::npos;
    }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace logweir
