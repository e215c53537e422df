// SPDX-License-Identifier: Apache-2.0
#include "spool/inspect.h"

#include <algorithm>
#include <array>
#include <vector>

#include "spool/segment_scan.h"
#include "spool/state_record.h"

namespace logweir {

namespace {

// What stands in the state and the labels, and the list of segments.
struct Front {
  SpoolLabel label;
  std::vector<Segment> segments;
};

// The version of the label at `offset` of a file; 0 when there is none to be read.
std::uint16_t version_at(Disk& disk, const std::string& path, std::uint64_t offset) {
  auto file = disk.open(path, Disk::Open::read);
  if (!file.ok()) return 0;
  std::array<char, kLabelSize> bytes{};
  const auto got = file.value()->read(bytes.data(), bytes.size(), offset);
  return got.ok() ? label_version({bytes.data(), got.value()}).value_or(0) : 0;
}

// A newer logweir may have taken up the spool of an older one, so an old slot or segment beside proves nothing.
Status check_version(Disk& disk, const std::string& directory, const std::vector<Segment>& segments) {
  const std::string state = directory + "/" + kStateName;
  std::uint16_t version = std::max(version_at(disk, state, 0), version_at(disk, state, kSegmentStart));
  if (!segments.empty()) {
    version = std::max(version, version_at(disk, segment_path(directory, segments.back().first), 0));
  }
  if (version <= kSpoolVersion) return {};
  return {Code::invalid, "spool " + directory + " was written by a newer logweir (its version is " +
                             std::to_string(version) + ", this one reads up to " + std::to_string(kSpoolVersion) +
                             "): use that one"};
}

Result<Front> front_of(Disk& disk, const std::string& directory) {
  const auto state = read_state(disk, directory);
  if (!state.ok()) return state.status();
  auto segments = list_segments(disk, directory);
  if (!segments.ok()) return segments.status();
  if (Status known = check_version(disk, directory, segments.value()); !known.ok()) return known;
  Front front{state.value().value_or(SpoolLabel()), std::move(segments).value()};
  if (!state.value()) {
    if (front.segments.empty()) return Status(Code::not_found, "look into " + directory + ": there is no spool");
    const auto label = any_label(disk, directory, front.segments);
    if (!label.ok()) return label.status();
    if (!label.value()) {
      return Status(Code::corrupt, "look into spool " + directory + ": its state and all its labels are damaged");
    }
    front.label = *label.value();
    front.label.b = front.label.c = front.segments.front().first;
  }
  if (!front.segments.empty()) front.label.b = std::max(front.label.b, front.segments.front().first);
  return front;
}

}  // namespace

Result<SpoolInfo> inspect_spool(Disk& disk, const std::string& directory) {
  const auto found = front_of(disk, directory);
  if (!found.ok()) return found.status();
  const auto& [label, segments] = found.value();
  SpoolInfo info;
  info.instance = label.instance;
  info.fingerprint = label.fingerprint;
  info.mark = label.mark;
  info.frontier = label.b;
  info.next = std::max(label.b, label.c);
  info.segments = segments.size();
  for (const Segment& segment : segments) info.bytes += segment.bytes;
  if (!segments.empty()) {
    const std::size_t at = segment_of(segments, label.b);
    const auto first = scan_segment(disk, directory, label.mark, segments, at, label.b);
    if (!first.ok()) return first.status();
    const auto newest = scan_segment(disk, directory, label.mark, segments, segments.size() - 1, label.b);
    if (!newest.ok()) return newest.status();
    info.next = std::max({info.next, newest.value().next, segments.back().first});
    info.oldest = first.value().oldest != 0 ? first.value().oldest : newest.value().oldest;
    const std::uint64_t all = newest.value().records_before + newest.value().records;
    const std::uint64_t done = first.value().records_before + first.value().records_below;
    if (first.value().labelled && newest.value().labelled && all > done) info.records = all - done;
  }
  info.frames = info.next - info.frontier;
  return info;
}

Result<SpoolCheck> verify_spool(Disk& disk, const std::string& directory,
                                const std::function<void(const SpoolDamage&)>& damaged) {
  const auto found = front_of(disk, directory);
  if (!found.ok()) return found.status();
  const auto& [front, segments] = found.value();
  SpoolCheck check;
  const auto tell = [&](const SpoolDamage& damage) {
    ++check.damaged_places;
    check.lost_frames += damage.frames;
    damaged(damage);
  };
  for (const Segment& segment : segments) {
    const std::string path = segment_path(directory, segment.first);
    auto file = disk.open(path, Disk::Open::read);
    if (!file.ok() && file.status().code() == Code::not_found) continue;
    if (!file.ok()) return file.status();
    const auto label = segment_label(*file.value());
    if (!label.ok()) return label.status();
    ++check.segments;
    if (!label.value() || label.value()->a != segment.first) tell({path, 0, kLabelSize, 0});
  }
  const Status walked =
      walk_spool(disk, directory, front.mark, front.b, [&](const Segment& segment, const SegmentReader::Step& step) {
        if (step.missing > 0) {
          tell({segment_path(directory, segment.first), step.offset - step.skipped, step.skipped, step.missing});
        }
        if (step.found) {
          ++check.frames;
          check.records += step.head.records;
        }
        return true;
      });
  if (!walked.ok()) return walked;
  return check;
}

Status cat_spool(Disk& disk, const std::string& directory,
                 const std::function<bool(const FrameHead& head, std::string_view frame)>& each) {
  const auto found = front_of(disk, directory);
  if (!found.ok()) return found.status();
  const SpoolLabel& label = found.value().label;
  return walk_spool(disk, directory, label.mark, label.b, [&](const Segment&, const SegmentReader::Step& step) {
    return !step.found || each(step.head, step.frame);
  });
}

Result<SpoolExpired> expired_frames(Disk& disk, const std::string& directory, std::uint64_t mark, SequenceRange within,
                                    Nanos older_than) {
  SpoolExpired expired;
  expired.range = {within.begin, within.begin};
  const Status walked =
      walk_spool(disk, directory, mark, within.begin, [&](const Segment&, const SegmentReader::Step& step) {
        if (!step.found) return true;
        if (step.head.sequence >= within.end || step.head.wall >= older_than) return false;
        expired.range.end = step.head.sequence + 1;
        ++expired.frames;
        expired.records += step.head.records;
        return true;
      });
  if (!walked.ok()) return walked;
  return expired;
}

}  // namespace logweir
