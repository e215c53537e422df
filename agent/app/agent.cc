// SPDX-License-Identifier: Apache-2.0
#include "app/agent.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <future>
#include <thread>

#include "app/control.h"
#include "app/limits.h"
#include "app/process.h"
#include "app/recent_log.h"
#include "base/log.h"

namespace logweir {

namespace {

constexpr auto kLogPatience = std::chrono::seconds(1);
// Log lines that may wait for a slow pipe. Who asks for the small print gets a burst of it at start.
constexpr std::size_t kLines = 1024;
constexpr std::size_t kMostLines = 8192;

// Writes what the log still holds, unless the pipe behind it is stuck: then the process ends without.
void finish_log(std::unique_ptr<LogSink> sink, int exit_code) {
  std::promise<void> done;
  auto written = done.get_future();
  std::thread writer([log = std::move(sink), promise = std::move(done)]() mutable {
    log.reset();
    promise.set_value();
  });
  if (written.wait_for(kLogPatience) != std::future_status::ready) ::_exit(exit_code);
  writer.join();
}

}  // namespace

int run_agent(const Plan& plan) {
  const LogLevel level = log_level_of(plan.service.log_level).value_or(LogLevel::info);
  auto sink = make_log_sink(plan.service.log_file, level < LogLevel::info ? kMostLines : kLines);
  if (!sink.ok()) {
    std::fprintf(stderr, "logweir: error: %s\n", sink.status().message().c_str());
    return 1;
  }
  // Small objects live on the control loop and in the workers; a heap for each of our helping threads would only spread
  // them (5.5 MB of 41 with 10,000 files).
  ::mallopt(M_ARENA_MAX, static_cast<int>(worker_count_of(plan.service)));
  widen_limits();
  const SystemClock clock;
  RecentLog recent(*sink.value(), clock);
  const Log log(recent, level, "");
  int code = 1;
  {
    Control control(plan, recent, log);
    Status status = control.start();
    if (status.ok()) {
      code = control.run();
    } else {
      log.error("could not start: {}", status.message());
      code = status.code() == Code::invalid ? 78 : 1;
    }
  }
  finish_log(std::move(sink).value(), code);
  return code;
}

}  // namespace logweir
