// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"

namespace logweir {

enum class LogLevel : unsigned char { trace, debug, info, warn, error, off };
// The words of a conf (also `warning`); nothing for any other.
std::optional<LogLevel> log_level_of(std::string_view word);

// Interface. Where own log lines end; never blocks the caller. Any thread.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(LogLevel level, std::string_view component, std::string_view text) = 0;
  [[nodiscard]] virtual std::uint64_t dropped() const = 0;  // lines lost since the pipe behind was full
};

// The spdlog sink: asynchronous, bounded, dropping (and counting) when stderr or the file is slow.
// `file` empty: stderr. `waiting`: lines that may wait; room for them (400 bytes each) is taken at once.
Result<std::unique_ptr<LogSink>> make_log_sink(const std::string& file, std::size_t waiting);

// Value. A component's voice: level and name before the text. Formatting happens only when the level is on.
class Log {
 public:
  Log() = default;  // says nothing
  Log(LogSink& sink, LogLevel level, std::string component)
      : sink_(&sink), level_(level), component_(std::move(component)) {}

  [[nodiscard]] Log named(std::string component) const {
    Log copy = *this;
    copy.component_ = std::move(component);
    return copy;
  }
  void set_level(LogLevel level) { level_ = level; }
  [[nodiscard]] bool on(LogLevel level) const { return sink_ != nullptr && level >= level_; }

  template <typename... Args>
  void debug(fmt::format_string<Args...> f, Args&&... args) const {
    say(LogLevel::debug, f, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void info(fmt::format_string<Args...> f, Args&&... args) const {
    say(LogLevel::info, f, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void warn(fmt::format_string<Args...> f, Args&&... args) const {
    say(LogLevel::warn, f, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void error(fmt::format_string<Args...> f, Args&&... args) const {
    say(LogLevel::error, f, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void say(LogLevel level, fmt::format_string<Args...> f, Args&&... args) const {
    if (on(level)) sink_->write(level, component_, fmt::format(f, std::forward<Args>(args)...));
  }

 private:
  LogSink* sink_ = nullptr;  // owned by main, outlives every component
  LogLevel level_ = LogLevel::info;
  std::string component_;
};

// Value. Lets one line through per interval and remembers how many it held back:
//   if (auto n = limit_.pass(now)) log.warn("... ({} more like it)", *n - 1);
class LogLimit {
 public:
  explicit LogLimit(Nanos interval = 10 * kSecond) : interval_(interval) {}
  // How many came since the last one let through, this one included; nothing when this one is held back.
  std::optional<std::uint64_t> pass(Nanos now) {
    ++held_;
    if (next_ != 0 && now < next_) return std::nullopt;
    next_ = now + interval_;
    return std::exchange(held_, 0);
  }

 private:
  Nanos interval_;
  Nanos next_ = 0;
  std::uint64_t held_ = 0;
};

}  // namespace logweir
