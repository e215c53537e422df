// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <utility>

#include "spool/segment_scan.h"
#include "spool/writer.h"

namespace logweir {

namespace {

std::uint64_t random_mark() {
  std::random_device source;
  const std::uint64_t high = source();
  // Never 0, which unwritten blocks are full of.
  return (high << 32 | source()) | 1;
}

}  // namespace

SpoolWriter::SpoolWriter(Disk& disk, std::string directory, const SpoolOptions& options)
    : disk_(disk), directory_(std::move(directory)), options_(options) {}

Result<std::unique_ptr<SpoolWriter>> SpoolWriter::open(Disk& disk, std::string directory, const SpoolIdentity& identity,
                                                       const SpoolOptions& options, Nanos wall) {
  const std::string where = "opening spool " + directory;
  if (Status made = disk.make_directories(directory); !made.ok()) return std::move(made).while_doing(where);
  std::unique_ptr<SpoolWriter> writer(new SpoolWriter(disk, std::move(directory), options));
  if (Status taken = writer->take_up(identity, wall); !taken.ok()) return std::move(taken).while_doing(where);
  return writer;
}

Status SpoolWriter::take_up(const SpoolIdentity& identity, Nanos wall) {
  auto lock = disk_.lock(path("lock"));
  if (!lock.ok()) return lock.status();
  lock_ = std::move(lock).value();
  const auto state = read_state(disk_, directory_);
  if (!state.ok()) return state.status();
  auto segments = list_segments(disk_, directory_);
  if (!segments.ok()) return segments.status();
  segments_ = std::move(segments).value();
  (void)disk_.remove(path(kSpareName));
  if (Status found = find_label(state.value(), identity, wall); !found.ok()) return found;
  if (Status removed = remove_below(label_.b, false); !removed.ok()) return removed;
  if (Status found = find_ends(); !found.ok()) return found;
  if (Status opened = state_.open(disk_, directory_, state.value()); !opened.ok()) return opened;
  if (Status wrote = write_state(wall); !wrote.ok()) return wrote;
  if (state.value()) return {};
  // Both slots, so that from now on one is always good; and the names of all of this, up
  // to what directory.h puts below the state directory.
  if (Status wrote = write_state(wall); !wrote.ok()) return wrote;
  std::string parent = directory_;
  for (int level = 0; level != 4; ++level, parent += "/..") {
    if (Status synced = disk_.sync_directory(parent); !synced.ok()) return synced;
  }
  return {};
}

// The label the spool goes on with: the state's, else one made of a segment's, else a new one.
Status SpoolWriter::find_label(const std::optional<SpoolLabel>& state, const SpoolIdentity& identity, Nanos wall) {
  std::optional<SpoolLabel> found = state;
  if (!found) {
    auto label = any_label(disk_, directory_, segments_);
    if (!label.ok()) return label.status();
    found = label.value();
  }
  if (found && !found->belongs_to(identity)) {
    return {Code::invalid, "it holds records of output " + found->instance + " for " + found->fingerprint +
                               ", not of " + identity.instance + " for " + identity.fingerprint +
                               "; they are kept and not sent: set the output as it was, or remove the directory"};
  }
  if (!found && !segments_.empty()) {
    return {Code::corrupt, "the state and the labels of all " + std::to_string(segments_.size()) +
                               " segments are damaged; move the directory away to begin a new one"};
  }
  label_ = found.value_or(SpoolLabel());
  label_.kind = SpoolLabel::Kind::state;
  label_.set(identity);
  label_.wall = wall;
  if (!found) label_.mark = random_mark();
  if (!state) label_.b = label_.c = segments_.empty() ? 1 : segments_.front().first;
  if (!segments_.empty()) label_.b = std::max(label_.b, segments_.front().first);
  return {};
}

Status SpoolWriter::find_ends() {
  next_ = std::max(label_.c, label_.b);
  if (!segments_.empty()) {
    const auto newest = scan_segment(disk_, directory_, label_.mark, segments_, segments_.size() - 1, label_.b);
    if (!newest.ok()) return newest.status();
    const auto first =
        segments_.size() > 1 ? scan_segment(disk_, directory_, label_.mark, segments_, 0, label_.b) : newest;
    if (!first.ok()) return first.status();
    next_ = std::max({next_, newest.value().next, segments_.back().first});
    recovered_.torn = newest.value().torn;
    recovered_.missing = newest.value().missing + (segments_.size() > 1 ? first.value().missing : 0);
    if (Status counted = count_records(first.value(), newest.value()); !counted.ok()) return counted;
    cut(segments_.back(), newest.value().frames == 0 ? 0 : newest.value().end);
  }
  synced_ = next_;
  synced_records_ = records_;
  clean_from_ = next_;
  recovered_.frontier = label_.b;
  recovered_.next = next_;
  return {};
}

// From the labels of the two ends, or, where one is damaged, by looking at all of it.
Status SpoolWriter::count_records(const SegmentScan& first, const SegmentScan& newest) {
  if (first.labelled && newest.labelled) {
    records_ = newest.records_before + newest.records;
    const std::uint64_t done = first.records_before + first.records_below;
    recovered_.records = records_ > done ? records_ - done : 0;
    return {};
  }
  std::uint64_t all = 0;
  for (std::size_t i = 0; i != segments_.size(); ++i) {
    const auto scanned = scan_segment(disk_, directory_, label_.mark, segments_, i, label_.b);
    if (!scanned.ok()) return scanned.status();
    if (scanned.value().labelled) all = std::max(all, scanned.value().records_before);
    all += scanned.value().records;
    recovered_.records += scanned.value().records - scanned.value().records_below;
  }
  records_ = all;
  return {};
}

// Gives back what lies behind the last frame of the newest segment, or all of it. Only for the space: the next
// segment's first sequence shuts out whatever stays.
void SpoolWriter::cut(const Segment& segment, std::uint64_t size) {
  const std::string path = segment_path(directory_, segment.first);
  if (size == 0) {
    if (disk_.remove(path).ok()) segments_.pop_back();
    return;
  }
  auto file = disk_.open(path, Disk::Open::write);
  if (file.ok() && file.value()->truncate(size).ok()) segments_.back().bytes = size;
}

}  // namespace logweir
