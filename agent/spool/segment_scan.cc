// SPDX-License-Identifier: Apache-2.0
#include "spool/segment_scan.h"

#include <utility>

namespace logweir {

Result<SegmentScan> scan_segment(Disk& disk, const std::string& directory, std::uint64_t mark,
                                 const std::vector<Segment>& segments, std::size_t index, std::uint64_t frontier) {
  const std::uint64_t first = segments[index].first;
  auto file = disk.open(segment_path(directory, first), Disk::Open::read);
  if (!file.ok()) return file.status();
  const auto label = segment_label(*file.value());
  if (!label.ok()) return label.status();
  SegmentScan scan;
  // A file used again still has its old label if we died before it got the new one.
  scan.labelled = label.value() && label.value()->a == first;
  if (scan.labelled) scan.records_before = label.value()->b;
  SegmentReader reader(std::move(file).value(), mark, first);
  const std::uint64_t limit = segment_limit(segments, index);
  while (true) {
    const auto step = reader.next(limit);
    if (!step.ok()) return step.status();
    const SegmentReader::Step& at = step.value();
    scan.missing += at.missing;
    scan.torn = at.torn;
    scan.end = at.offset;
    if (!at.found) break;
    scan.records += at.head.records;
    if (at.head.sequence < frontier) {
      scan.records_below += at.head.records;
    } else if (scan.oldest == 0) {
      scan.oldest = at.head.wall;
    }
    ++scan.frames;
  }
  scan.next = reader.expected();
  if (limit != UINT64_MAX) scan.missing += limit - scan.next;
  return scan;
}

Result<std::optional<SpoolLabel>> any_label(Disk& disk, const std::string& directory,
                                            const std::vector<Segment>& segments) {
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
    auto file = disk.open(segment_path(directory, segment->first), Disk::Open::read);
    if (!file.ok()) return file.status();
    auto label = segment_label(*file.value());
    if (!label.ok() || label.value()) return label;
  }
  return std::optional<SpoolLabel>();
}

Status walk_spool(Disk& disk, const std::string& directory, std::uint64_t mark, std::uint64_t from,
                  const SpoolVisitor& visit) {
  const auto listed = list_segments(disk, directory);
  if (!listed.ok()) return listed.status();
  const std::vector<Segment>& segments = listed.value();
  for (std::size_t i = 0; i != segments.size(); ++i) {
    const std::uint64_t limit = segment_limit(segments, i);
    if (limit <= from) continue;
    auto file = disk.open(segment_path(directory, segments[i].first), Disk::Open::read);
    if (!file.ok() && file.status().code() == Code::not_found) continue;
    if (!file.ok()) return file.status();
    SegmentReader reader(std::move(file).value(), mark, segments[i].first);
    for (bool more = true; more;) {
      auto step = reader.next(limit);
      if (!step.ok()) return step.status();
      more = step.value().found;
      if (!more && limit != UINT64_MAX) step.value().missing = limit - reader.expected();
      if (more && step.value().head.sequence < from) continue;
      if (!visit(segments[i], step.value())) return {};
    }
  }
  return {};
}

}  // namespace logweir
