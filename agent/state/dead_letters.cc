// SPDX-License-Identifier: Apache-2.0
#include "state/dead_letters.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/file_system.h"
#include "state/directory.h"

namespace logweir {

namespace {

constexpr std::size_t kPageLetters = 1000;
constexpr std::size_t kPageBytes = 1 << 20;

}  // namespace

std::string letters_directory(const std::string& state_directory) { return state_directory + "/dead_letters"; }
std::string letters_path(const std::string& directory) { return directory + "/letters.db"; }
std::string replay_request_path(const std::string& directory) { return directory + "/replay"; }

DeadLetters::DeadLetters(Options options, Log log)
    : options_(std::move(options)), path_(letters_path(options_.directory)), log_(std::move(log)) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the main thread's
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "dead-letters");
}

DeadLetters::~DeadLetters() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void DeadLetters::put(std::vector<Letter> letters, std::function<void(bool)> stored) {
  std::uint64_t bytes = 0;
  bool fits = true;
  for (Letter& letter : letters) {
    letter.answer.resize(std::min(letter.answer.size(), LetterFile::kLongestAnswer));
    fits = fits && letter.body.size() <= LetterFile::kLongestBody;
    bytes += weight_of(letter);
  }
  {
    const std::lock_guard lock(mutex_);
    fits = fits && bytes <= options_.limits.bytes && (pending_ == 0 || pending_ + bytes <= options_.pending_bytes);
    if (fits) {
      pending_ += bytes;
    } else {
      stats_.refused += letters.size();
    }
  }
  if (!fits) return stored(false);
  Job job;
  job.letters = std::move(letters);
  job.stored = std::move(stored);
  give(std::move(job));
}

void DeadLetters::marked(std::function<void(std::vector<Letter>)> found) {
  Job job;
  job.found = std::move(found);
  give(std::move(job));
}

void DeadLetters::drop(std::vector<std::uint64_t> numbers) {
  Job job;
  job.drop = std::move(numbers);
  give(std::move(job));
}

void DeadLetters::unmark(std::vector<std::uint64_t> numbers) {
  Job job;
  job.unmark = std::move(numbers);
  give(std::move(job));
}

DeadLetters::Stats DeadLetters::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void DeadLetters::give(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void DeadLetters::run() {
  std::vector<Job> taken;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    taken.swap(jobs_);
    lock.unlock();
    work(taken);
    taken.clear();
    lock.lock();
  }
}

// Letters of all jobs go in one transaction; the other wishes follow in their order.
void DeadLetters::work(std::vector<Job>& jobs) {
  write(jobs);
  for (const Job& job : jobs) {
    if (!job.drop.empty() || !job.unmark.empty()) change(job);
    if (job.found) job.found(find());
  }
}

void DeadLetters::write(std::vector<Job>& jobs) {
  std::vector<Letter> letters;
  std::uint64_t bytes = 0;
  for (Job& job : jobs) {
    for (Letter& letter : job.letters) {
      bytes += weight_of(letter);
      letters.push_back(std::move(letter));
    }
  }
  if (letters.empty()) return;
  const Status status = add(letters);
  note(status);
  {
    const std::lock_guard lock(mutex_);
    pending_ -= bytes;
    (status.ok() ? stats_.stored : stats_.refused) += letters.size();
  }
  for (const Job& job : jobs) {
    if (job.stored) job.stored(status.ok());
  }
}

Status DeadLetters::add(const std::vector<Letter>& letters) {
  if (Status status = open(true); !status.ok()) return status;
  std::uint64_t evicted = 0;
  if (Status status = file_->add(letters, options_.limits, clock_.wall(), evicted); !status.ok()) return status;
  if (evicted > 0) {
    if (const auto n = full_limit_.pass(clock_.mono())) {
      log_.warn(
          "the store of dead letters is full: the {} oldest were deleted for new ones (said {} times since the last "
          "such line); see `logweir dlq list`",
          evicted, *n);
    }
  }
  const auto totals = file_->totals();
  const std::lock_guard lock(mutex_);
  stats_.evicted += evicted;
  if (totals.ok()) {
    stats_.letters = totals.value().letters;
    stats_.bytes = totals.value().bytes;
  }
  return {};
}

void DeadLetters::change(const Job& job) {
  Status status = open(true);
  for (const std::uint64_t number : job.drop) {
    if (status.ok()) status = file_->drop(number).status();
  }
  for (const std::uint64_t number : job.unmark) {
    if (status.ok()) status = file_->unmark(number).status();
  }
  note(status);
}

std::vector<Letter> DeadLetters::find() {
  if (const Status status = open(false); !status.ok()) {
    if (status.code() != Code::not_found) note(status);
    return {};
  }
  auto letters = file_->read(0, kPageLetters, kPageBytes, true);
  note(letters.status());
  return letters.ok() ? std::move(letters).value() : std::vector<Letter>();
}

Status DeadLetters::open(bool make) {
  if (file_ && ::access(path_.c_str(), F_OK) == 0) return {};
  file_.reset();
  if (!make && ::access(path_.c_str(), F_OK) != 0) return {Code::not_found, path_ + " does not exist"};
  if (Status made = make_directories(options_.directory, 0700); !made.ok()) return made;
  if (!lock_stands(lock_, options_.directory)) {
    auto locked = lock_directory(options_.directory);
    if (!locked.ok()) return locked.status();
    lock_ = std::move(locked).value();
    announced_ = false;
  }
  // Not for writing: that is what asks for a replay.
  const Fd request(::open(replay_request_path(options_.directory).c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
  auto file = LetterFile::open(path_, true);
  if (file.status().code() == Code::corrupt) {
    const auto aside = move_aside(path_);
    if (!aside.ok()) return aside.status();
    ::unlink((path_ + "-journal").c_str());  // it would be rolled back into the new file
    log_.warn("{}: it is kept as {}; starting with an empty one", file.status().message(), aside.value());
    file = LetterFile::open(path_, true);
  }
  if (!file.ok()) return file.status();
  file_ = std::move(file).value();
  if (!std::exchange(announced_, true) && options_.opened) options_.opened();
  return {};
}

void DeadLetters::note(const Status& status) {
  if (status.ok()) return;
  file_.reset();
  if (const auto n = fault_limit_.pass(clock_.mono())) {
    log_.warn("dead letters can't be kept: {} (said {} times since the last such line)", status.message(), *n);
  }
}

}  // namespace logweir
