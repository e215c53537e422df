// SPDX-License-Identifier: Apache-2.0
#include "state/keeper.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>

#include "base/file_system.h"
#include "state/directory.h"

namespace logweir {

namespace {

constexpr Nanos kFaultLogEvery = 60 * kSecond;

std::chrono::steady_clock::time_point steady(Nanos mono) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(mono));
}

// A thread that takes no signals: they are the main thread's.
std::thread quiet_thread(std::function<void()> work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), "state");
  return thread;
}

}  // namespace

Keeper::Keeper(const State::Options& options, Log log)
    : options_(options), path_(options.directory + "/state.db"), log_(std::move(log)), fault_limit_(kFaultLogEvery) {}

Keeper::~Keeper() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Status Keeper::open(Saved& saved) {
  Status connected = connect(saved);
  if (connected.code() == Code::busy || connected.code() == Code::invalid) return connected;
  if (!connected.ok()) {
    // What cannot be read is like a first start; the fault says what matters.
    if (!Database::read_only(path_, saved).ok()) saved = Saved();
    settle(connected);
  }
  table_.load(saved.positions, saved.facts);
  thread_ = quiet_thread([this] { run(); });
  return {};
}

void Keeper::barrier(std::function<void()> done) {
  {
    const std::lock_guard lock(mutex_);
    barriers_.push_back(std::move(done));
  }
  wake_.notify_one();
}

std::string Keeper::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

State::Stats Keeper::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Keeper::run() {
  Lock lock(mutex_);
  for (bool last = false; !last;) {
    wait(lock);
    last = stopping_;
    turn(lock);
  }
  if (!fault_.empty()) {
    log_.error("what was delivered since the fault is not saved and will be read again: {}", fault_);
  }
}

void Keeper::wait(Lock& lock) {
  while (true) {
    const std::optional<Nanos> at = due();
    if (!at) {
      wake_.wait(lock);
    } else if (clock_.mono() >= *at) {
      return;
    } else {
      wake_.wait_until(lock, steady(*at));
    }
  }
}

// When the thread has something to do next; nothing: when it is woken.
std::optional<Nanos> Keeper::due() const {
  if (stopping_ || !barriers_.empty()) return 0;
  if (!fault_.empty()) return retry_at_;
  std::optional<Nanos> at;
  if (table_.pending()) at = next_write_;
  if (unsynced_since_) at = std::min(at.value_or(INT64_MAX), *unsynced_since_ + options_.sync_every);
  return at;
}

void Keeper::turn(Lock& lock) {
  serving_.swap(barriers_);
  const Nanos now = clock_.mono();
  // During a fault a barrier is answered at once: it must not become a busy loop of attempts.
  if (fault_.empty() || now >= retry_at_ || stopping_) {
    const bool sync_due = unsynced_since_ && now >= *unsynced_since_ + options_.sync_every;
    keep(lock, sync_due || !serving_.empty() || stopping_);
  }
  lock.unlock();
  for (const auto& done : serving_) done();
  serving_.clear();
  lock.lock();
}

void Keeper::keep(Lock& lock, bool must_sync) {
  // A little early, so that also what came just after this turn began is written within `write_every`.
  next_write_ = clock_.mono() + options_.write_every * 4 / 5;
  Status status = attempt(lock, must_sync);
  if (status.code() == Code::unavailable) {
    log_.warn("{}; it is made anew", status.message());
    status = attempt(lock, must_sync);
  }
  settle(status);
}

Status Keeper::attempt(Lock& lock, bool must_sync) {
  Status status = database_ ? Status() : reconnect(lock);
  if (status.ok()) status = write(lock);
  if (status.ok() && must_sync && unsynced_since_) status = sync(lock);
  return status;
}

Status Keeper::reconnect(Lock& lock) {
  lock.unlock();
  Saved ignored;
  Status connected = connect(ignored);
  lock.lock();
  if (connected.ok()) table_.mark_all();
  return connected;
}

Status Keeper::write(Lock& lock) {
  table_.take(turn_);
  if (turn_.empty()) return {};
  lock.unlock();
  const Nanos begin = clock_.mono();
  Status written = database_->write(turn_);
  const Nanos end = clock_.mono();
  lock.lock();
  if (!written.ok()) {
    table_.give_back(turn_);
    return written;
  }
  table_.written(turn_);
  const std::size_t rows = turn_.dropped.size() + turn_.positions.size() + turn_.facts.size();
  turn_.clear();
  if (!unsynced_since_) unsynced_since_ = begin;
  ++stats_.writes;
  stats_.rows += rows;
  stats_.writing += end - begin;
  return {};
}

Status Keeper::sync(Lock& lock) {
  lock.unlock();
  const Nanos begin = clock_.mono();
  Status synced = database_->sync();
  if (synced.ok() && database_->moved()) synced = Status(Code::unavailable, path_ + " was removed or replaced");
  const Nanos end = clock_.mono();
  lock.lock();
  if (!synced.ok()) {
    // After a failed sync nobody knows what the disk has: all is written again.
    database_.reset();
    return synced;
  }
  unsynced_since_.reset();
  ++stats_.syncs;
  stats_.syncing += end - begin;
  return {};
}

// Under the mutex, but for the opener's call before there is a thread.
void Keeper::settle(const Status& status) {
  if (status.ok()) {
    if (fault_.empty()) return;
    log_.warn("positions are saved again in {}, after {} s", path_, (clock_.mono() - failing_since_) / kSecond);
    fault_.clear();
    fault_limit_ = LogLimit(kFaultLogEvery);
    return;
  }
  // A full disk passes, and an open log may hold room that a new one would not get; anything else begins anew.
  if (status.code() != Code::full) database_.reset();
  const Nanos now = clock_.mono();
  if (fault_.empty()) failing_since_ = now;
  if (fault_ != status.message()) fault_limit_ = LogLimit(kFaultLogEvery);
  fault_ = status.message();
  ++stats_.failures;
  retry_at_ = now + options_.retry_every;
  if (const auto held = fault_limit_.pass(now)) {
    log_.warn(
        "positions are not saved, so after a restart lines may be sent again: {} (the agent runs on and tries again)",
        fault_);
  }
}

Status Keeper::connect(Saved& saved) {
  if (Status made = make_directories(options_.directory, 0700); !made.ok()) {
    return std::move(made).while_doing("making the state directory " + options_.directory);
  }
  if (!lock_stands(lock_, options_.directory)) {
    auto locked = lock_directory(options_.directory);
    if (!locked.ok()) return locked.status();
    lock_ = std::move(locked).value();
  }
  return open_file(saved);
}

Status Keeper::open_file(Saved& saved) {
  auto database = Database::open(path_, saved);
  if (database.status().code() == Code::corrupt) {
    auto aside = move_aside(path_);
    if (!aside.ok()) return aside.status();
    {
      const std::lock_guard lock(mutex_);
      ++stats_.damaged;
    }
    log_.warn("{}: it is kept as {}; starting with an empty one, so lines may be sent again",
              database.status().message(), aside.value());
    database = Database::open(path_, saved);
  }
  if (!database.ok()) return database.status();
  database_ = std::move(database).value();
  return {};
}

}  // namespace logweir
