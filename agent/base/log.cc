// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <iterator>

namespace logweir {

namespace {

spdlog::level::level_enum level_of(LogLevel level) { return static_cast<spdlog::level::level_enum>(level); }

// Lines wait in a bounded ring for one thread that may block on a slow pipe; a full ring overwrites its oldest line,
// which spdlog counts.
class SpdlogSink final : public LogSink {
 public:
  SpdlogSink(std::shared_ptr<spdlog::sinks::sink> sink, std::size_t waiting)
      : pool_(std::make_shared<spdlog::details::thread_pool>(waiting, 1)),
        logger_(std::make_shared<spdlog::async_logger>("logweir", std::move(sink), pool_,
                                                       spdlog::async_overflow_policy::overrun_oldest)) {
    logger_->set_level(spdlog::level::trace);
    logger_->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger_->flush_on(spdlog::level::info);
  }

  void write(LogLevel level, std::string_view component, std::string_view text) override {
    if (component.empty()) {
      logger_->log(level_of(level), "{}", text);
    } else {
      logger_->log(level_of(level), "{}: {}", component, text);
    }
  }
  [[nodiscard]] std::uint64_t dropped() const override { return pool_->overrun_counter(); }

 private:
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

}  // namespace

std::optional<LogLevel> log_level_of(std::string_view word) {
  constexpr std::string_view kWords[] = {"trace", "debug", "info", "warn", "error", "off"};
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    if (word == kWords[i]) return static_cast<LogLevel>(i);
  }
  if (word == "warning") return LogLevel::warn;
  return std::nullopt;
}

Result<std::unique_ptr<LogSink>> make_log_sink(const std::string& file, std::size_t waiting) {
  try {
    std::shared_ptr<spdlog::sinks::sink> sink;
    if (file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    }
    return std::unique_ptr<LogSink>(std::make_unique<SpdlogSink>(std::move(sink), waiting));
  } catch (const std::exception& e) {
    return Status(Code::io, "log_file " + file + ": " + e.what());
  }
}

}  // namespace logweir
