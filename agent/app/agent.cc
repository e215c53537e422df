// SPDX-License-Identifier: Apache-2.0
#include "app/agent.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <future>
#include <thread>

#include "app/cli.h"
#include "app/control.h"
#include "app/limits.h"
#include "app/notify.h"
#include "app/privileges.h"
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

int failed(const Status& status) {
  std::fprintf(stderr, "logweir: error: %s\n", status.message().c_str());
  return status.code() == Code::invalid ? kExitConf : 1;
}

int run(const Plan& plan, RecentLog& sink, const Log& log, Notify notify, Nanos watchdog) {
  Control control(plan, sink, log, std::move(notify), watchdog);
  const Status status = control.start();
  if (status.ok()) return control.run();
  log.error("could not start: {}", status.message());
  return status.code() == Code::invalid ? kExitConf : 1;
}

}  // namespace

int run_agent(const Plan& plan) {
  const NotifyPlace place = notify_place();
  auto notify = Notify::open(place.socket);
  const auto notes = drop_privileges(plan);
  if (!notes.ok()) return failed(notes.status());
  const LogLevel level = log_level_of(plan.service.log_level).value_or(LogLevel::info);
  auto sink = make_log_sink(plan.service.log_file, level < LogLevel::info ? kMostLines : kLines);
  if (!sink.ok()) return failed(sink.status());
  // Small objects live on the control loop and in the workers; a heap for each of our helping threads would only spread
  // them (5.5 MB of 41 with 10,000 files).
  ::mallopt(M_ARENA_MAX, static_cast<int>(worker_count_of(plan.service)));
  widen_limits();
  const SystemClock clock;
  RecentLog recent(*sink.value(), clock);
  const Log log(recent, level, "");
  for (const PrivilegeNote& note : notes.value())
    log.say(note.warning ? LogLevel::warn : LogLevel::info, "{}", note.text);
  if (!notify.ok()) log.warn("the service manager will not hear of us: {}", notify.status().message());
  const int code = run(plan, recent, log, notify.ok() ? std::move(notify).value() : Notify(), place.watchdog);
  finish_log(std::move(sink).value(), code);
  return code;
}

}  // namespace logweir
