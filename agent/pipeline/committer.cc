// SPDX-License-Identifier: Apache-2.0
#include "pipeline/committer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace logweir {

Committer::Committer(const Clock& clock, const Options& options)
    : clock_(clock), options_(options), thread_([this] { run(); }) {}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Committer::submit(Commit& commit) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(&commit);
    waiting_bytes_ += commit.bytes;
  }
  wake_.notify_one();
}

Committer::Stats Committer::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Committer::run() {
  pthread_setname_np(pthread_self(), "committer");
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<Commit*> group = gather(lock);
    lock.unlock();
    commit(group);
    lock.lock();
  }
}

// The group that is to be synced now; waits for company where the options ask for it.
std::vector<Commit*> Committer::gather(std::unique_lock<std::mutex>& lock) {
  const Nanos now = clock_.mono();
  Nanos until = now;
  if (options_.mode == CommitMode::interval) {
    until = last_sync_ + options_.interval;
  } else if (options_.mode == CommitMode::group) {
    until = now + options_.max_delay;
  }
  const auto enough = [this] { return stopping_ || waiting_bytes_ >= options_.max_bytes; };
  if (until > now) wake_.wait_for(lock, std::chrono::nanoseconds(until - now), enough);
  std::vector<Commit*> group;
  if (options_.mode == CommitMode::each) {
    group.push_back(waiting_.front());
    waiting_.erase(waiting_.begin());
    waiting_bytes_ -= group.front()->bytes;
  } else {
    group.swap(waiting_);
    waiting_bytes_ = 0;
  }
  return group;
}

void Committer::write(Commit& c, Nanos wall) {
  c.status = c.frames.empty() ? Status() : c.writer->append(c.frames, wall);
  if (c.trim_to > 0 && c.trim_to > c.writer->frontier()) {
    // What a trim costs when it fails is space and repetitions; the frames' answer is their own.
    const Status trimmed = c.writer->trim(c.trim_to, wall);
    if (c.frames.empty()) c.status = trimmed;
  }
  if (c.rest && c.frames.empty() && c.status.ok()) c.status = c.writer->rest(wall);
}

void Committer::commit(std::vector<Commit*>& group) {
  const Nanos wall = clock_.wall();
  for (Commit* c : group) write(*c, wall);
  const Nanos began = clock_.mono();
  // A failed sync takes back all frames of its spool that are not stored, whoever brought them.
  std::vector<std::pair<SpoolWriter*, Status>> synced;
  const auto find = [&](const SpoolWriter* writer) {
    return std::find_if(synced.begin(), synced.end(), [&](const auto& s) { return s.first == writer; });
  };
  for (Commit* c : group) {
    if (!c->frames.empty() && find(c->writer) == synced.end()) synced.emplace_back(c->writer, c->writer->sync());
  }
  last_sync_ = clock_.mono();
  std::uint64_t failures = 0, bytes = 0;
  for (Commit* c : group) {
    const auto sync = find(c->writer);
    if (c->status.ok() && sync != synced.end() && !c->frames.empty()) c->status = sync->second;
    if (!c->status.ok()) ++failures;
    bytes += c->bytes;
    c->stored = c->writer->stored();
    c->next = c->writer->next();
    c->size = c->writer->bytes();
  }
  {
    const std::lock_guard lock(mutex_);
    ++stats_.groups;
    stats_.commits += group.size();
    stats_.bytes += bytes;
    stats_.failures += failures;
    stats_.syncing += last_sync_ - began;
  }
  for (Commit* c : group) {
    const std::function<void()> done = c->done;  // the owner may go away once it is told
    done();
  }
}

}  // namespace logweir
