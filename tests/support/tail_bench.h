// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "loop/jobs.h"
#include "plugin/entry.h"
#include "support/capture_log.h"
#include "support/fake_intake.h"
#include "support/options.h"
#include "support/run_loop.h"
#include "support/temp_directory.h"

namespace logweir {

extern const InputEntry kTailInput;

// A tail input on real files, one loop for discovery and worker. `start` and `stop` may come again: what was kept in
// `memory` stays, as in a restart.
class TailBench {
 public:
  using Lines = std::vector<std::string>;

  TailBench(std::initializer_list<std::pair<const char*, const char*>> keys = {}) {
    std::map<std::string, std::string> all = {{"path", "*.log"}, {"read_from_head", "on"}, {"rotate_wait", "300ms"}};
    for (const auto& [key, value] : keys) all[key] = value;
    keys_.assign(all.begin(), all.end());
    for (auto& [key, value] : keys_) {
      if (key == "path") value = directory.file(value);
    }
  }
  ~TailBench() { stop(); }

  void start() {
    run_ = std::make_unique<Run>(*this);
    std::shared_ptr<void> options = kTailInput.make_options();
    const Problems problems = problems_of(kTailInput.schema, options, keys_);
    if (problems.failed()) std::abort();
    run_->shared.facts.clear();
    for (const auto& [key, value] : memory.facts) run_->shared.facts.push_back({key, value});
    if (!foreign.empty()) {
      run_->shared.foreign_positions = [this] {
        ++imports;
        return foreign;
      };
      run_->shared.keep_fact = [this](std::string_view key, std::string_view value) {
        memory.facts[std::string(key)] = value;
      };
    }
    run_->discovery = kTailInput.make_shared(options);
    run_->input = kTailInput.make(options, run_->discovery.get());
    if (!run_->discovery->open(run_->shared).ok() || !run_->input->open(run_->services).ok()) std::abort();
  }
  void stop() {
    if (run_ == nullptr) return;
    run_->input->close();
    run_->discovery->close();
    for (FakeIntake::Line& line : run_->intake.lines) before_.push_back(std::move(line.text));
    run_->input.reset();
    run_->discovery.reset();
    run_.reset();
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory.file(name), std::ios::app | std::ios::binary) << text;
  }
  void rewrite(const std::string& name, const std::string& text) const {
    std::ofstream(directory.file(name), std::ios::trunc | std::ios::binary) << text;
  }
  void move(const std::string& from, const std::string& to) const {
    std::filesystem::rename(directory.file(from), directory.file(to));
  }
  void copy(const std::string& from, const std::string& to) const {
    std::filesystem::copy_file(directory.file(from), directory.file(to));
  }
  void remove(const std::string& name) const { std::filesystem::remove_all(directory.file(name)); }

  // All lines of all runs so far, in the order they came.
  [[nodiscard]] Lines lines() const {
    Lines all = before_;
    if (run_ != nullptr) {
      for (const FakeIntake::Line& line : run_->intake.lines) all.push_back(line.text);
    }
    return all;
  }
  // Waits until exactly these lines are there.
  bool gets(const Lines& wanted) {
    return run_until(run_->loop, [&] { return lines().size() >= wanted.size(); }) && lines() == wanted;
  }
  bool gets_count(std::size_t count) {
    return run_until(run_->loop, [&] { return lines().size() >= count; }) && lines().size() == count;
  }
  // So that two files have different times, without a run.
  static void pass_time() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
  // Lets time pass; for what must not happen.
  void pass(Nanos time) {
    const Nanos until = run_->loop.now() + time;
    run_until(run_->loop, [&] { return run_->loop.now() >= until; });
  }
  bool until(const std::function<bool()>& condition) { return run_until(run_->loop, condition); }

  [[nodiscard]] FakeIntake& intake() { return run_->intake; }
  [[nodiscard]] Input& input() { return *run_->input; }
  [[nodiscard]] Metrics& metrics() { return run_->metrics; }
  void own_file(std::string path) { own_files_.push_back(std::move(path)); }

  void foreign_position(const std::string& name, std::uint64_t position) {
    const std::string path = directory.file(name);
    struct stat st{};
    if (::stat(path.c_str(), &st) == 0) foreign.push_back({path, st.st_ino, position, 1700});
  }

  std::vector<ForeignPosition> foreign;
  int imports = 0;
  TempDirectory directory;
  FakeMemory memory;
  CaptureLog log;
  bool finished = false;

 private:
  struct Run {
    explicit Run(TailBench& bench)
        : loop(bench.clock_),
          desk(bench.jobs_, loop),
          intake(loop, bench.memory),
          services{loop,
                   intake,
                   bench.log.log(),
                   metrics,
                   desk,
                   "tail.0",
                   bench.tag,
                   0,
                   1,
                   7,
                   [&bench] { bench.finished = true; }},
          shared{loop, bench.log.log(), metrics, "tail.0", bench.tag, 1, 7, {}, bench.own_files_} {}
    Loop loop;
    Metrics metrics;
    Jobs::Desk desk;
    FakeIntake intake;
    InputServices services;
    SharedServices shared;
    std::unique_ptr<InputShared> discovery;
    std::unique_ptr<Input> input;
  };

  std::vector<std::pair<std::string, std::string>> keys_;
  SystemClock clock_;
  Jobs jobs_{1};
  Lines before_;
  std::vector<std::string> own_files_;
  std::unique_ptr<Run> run_;

 public:
  std::string tag = "t";
};

}  // namespace logweir
