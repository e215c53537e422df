// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/file/syncer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace logweir::file_out {

void Syncer::Round::sync() {
  for (const Fd& file : files) {
    // A device has nothing to sync.
    if (fdatasync(file.get()) != 0 && errno != EINVAL && errno != EROFS && error == 0) error = errno;
  }
}

Syncer::Syncer(OutputServices& services, Nanos interval)
    : host_(services.host),
      jobs_(services.jobs),
      loop_(services.loop),
      log_(services.log),
      interval_(interval),
      timer_(services.loop.timers(), [this] { begin(); }),
      round_(std::make_shared<Round>()) {
  round_->owner = this;
}

Syncer::~Syncer() { round_->owner = nullptr; }

void Syncer::touch(OutFile& file) {
  if (file.sync_round == number_) return;
  file.sync_round = number_;
  Fd copy(fcntl(file.fd(), F_DUPFD_CLOEXEC, 0));
  if (!copy) failed_ = errno;
  files_.push_back(std::move(copy));
  if (!file.created()) return;
  // A new file is only there after a crash when its folder was synced as well.
  const std::size_t slash = file.path().rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file.path().substr(0, slash + 1);
  if (Fd dir(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); dir) files_.push_back(std::move(dir));
}

void Syncer::settle_after(const RecordRange& range) {
  if (!ranges_.empty() && ranges_.back().first + ranges_.back().count == range.first) {
    ranges_.back().count += range.count;
  } else {
    ranges_.push_back(range);
  }
}

void Syncer::go() {
  if (interval_ == 0) {
    begin();
  } else if (!timer_.armed() && !files_.empty()) {
    timer_.arm(loop_.now() + interval_);
  }
}

void Syncer::begin() {
  if (running_ || files_.empty()) return;
  running_ = true;
  ++number_;
  round_->files.swap(files_);
  round_->ranges.swap(ranges_);
  round_->error = std::exchange(failed_, 0);
  jobs_.run([round = round_] { round->sync(); },
            [round = round_] {
              if (round->owner != nullptr) round->owner->done();
            });
}

void Syncer::done() {
  running_ = false;
  round_->files.clear();
  const int error = std::exchange(round_->error, 0);
  if (error != 0) {
    if (const auto n = log_limit_.pass(loop_.now())) {
      log_.error("could not bring written records to the disk: {} ({} times since the last such line)",
                 std::strerror(error), *n);
    }
  }
  // The lane may send, and so gather, while it is told.
  const std::vector<RecordRange> ranges = std::move(round_->ranges);
  round_->ranges.clear();
  go();
  for (const RecordRange& range : ranges) {
    host_.settle(range.first, range.count, error == 0 ? Outcome::delivered : Outcome::retry, error == 0 ? "" : "io");
  }
}

void Syncer::finish() {
  for (const Fd& file : files_) (void)fdatasync(file.get());
  files_.clear();
}

}  // namespace logweir::file_out
