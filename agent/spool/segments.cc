// SPDX-License-Identifier: Apache-2.0
#include "spool/segments.h"

#include <algorithm>
#include <charconv>

namespace logweir {

namespace {
constexpr std::size_t kDigits = 16;
constexpr std::string_view kEnding = ".seg";
}  // namespace

std::string segment_name(std::uint64_t first) {
  std::string name(kDigits, '0');
  for (std::size_t i = kDigits; i-- > 0; first >>= 4) name[i] = "0123456789abcdef"[first & 15];
  return name.append(kEnding);
}

std::string segment_path(const std::string& directory, std::uint64_t first) {
  return directory + "/" + segment_name(first);
}

std::optional<std::uint64_t> first_of_name(std::string_view name) {
  if (name.size() != kDigits + kEnding.size() || name.substr(kDigits) != kEnding) return {};
  std::uint64_t first = 0;
  const char* const end = name.data() + kDigits;
  const auto parsed = std::from_chars(name.data(), end, first, 16);
  // Only the spelling that we write, so that no two names mean the same segment.
  if (parsed.ec != std::errc() || parsed.ptr != end || segment_name(first) != name) return {};
  return first;
}

Result<std::vector<Segment>> list_segments(Disk& disk, const std::string& directory) {
  auto entries = disk.files(directory);
  if (!entries.ok()) return entries.status();
  std::vector<Segment> segments;
  for (const Disk::Entry& entry : entries.value()) {
    if (const auto first = first_of_name(entry.name)) segments.push_back({*first, entry.size});
  }
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.first < b.first; });
  return segments;
}

std::size_t segment_of(const std::vector<Segment>& segments, std::uint64_t sequence) {
  const auto behind =
      std::upper_bound(segments.begin(), segments.end(), sequence,
                       [](std::uint64_t value, const Segment& segment) { return value < segment.first; });
  return behind == segments.begin() ? segments.size() : static_cast<std::size_t>(behind - segments.begin()) - 1;
}

std::uint64_t segment_limit(const std::vector<Segment>& segments, std::size_t index) {
  return index + 1 < segments.size() ? segments[index + 1].first : UINT64_MAX;
}

Result<std::optional<SpoolLabel>> segment_label(DiskFile& file) {
  char bytes[kLabelSize];
  auto got = file.read(bytes, sizeof bytes, 0);
  if (!got.ok()) return got.status();
  return read_label({bytes, got.value()}, SpoolLabel::Kind::segment);
}

}  // namespace logweir
