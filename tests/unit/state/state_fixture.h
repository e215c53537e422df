// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>

#include "state/state.h"
#include "support/capture_log.h"
#include "support/temp_directory.h"

namespace logweir {

// A state directory of its own, and short forms for what the tests ask.
struct StateFixture {
  TempDirectory dir;
  CaptureLog log;
  State::Options options;

  StateFixture() {
    options.directory = dir.path();
    options.retry_every = 20 * kMillisecond;
  }
  [[nodiscard]] std::unique_ptr<State> open() {
    auto opened = State::open(options, log.log());
    if (!opened.ok()) log.write(LogLevel::error, "", opened.status().message());
    return opened.ok() ? std::move(opened).value() : nullptr;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return dir.file(name); }

  static void synced(State& state) {
    std::promise<void> done;
    state.barrier([&done] { done.set_value(); });
    done.get_future().wait();
  }
  static std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> positions(const State& state) {
    std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> all;
    for (const SavedPosition& saved : state.positions()) all[{saved.source, saved.lane}] = saved.position;
    return all;
  }
};

}  // namespace logweir
