// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "spool/format.h"

namespace logweir {

// Value. One segment's file.
struct Segment {
  std::uint64_t first = 0;  // sequence of its first frame
  std::uint64_t bytes = 0;  // of the file
};

constexpr const char* kStateName = "state";
constexpr const char* kSpareName = "spare";

[[nodiscard]] std::string segment_name(std::uint64_t first);
[[nodiscard]] std::string segment_path(const std::string& directory, std::uint64_t first);
std::optional<std::uint64_t> first_of_name(std::string_view name);

// All segments of a spool by their first sequence; other files are passed over.
Result<std::vector<Segment>> list_segments(Disk& disk, const std::string& directory);
// The index of the one that holds `sequence` if any does; the size of the list when all begin behind it.
[[nodiscard]] std::size_t segment_of(const std::vector<Segment>& segments, std::uint64_t sequence);
// Up to where the frames of a segment may count: the first of the next one.
[[nodiscard]] std::uint64_t segment_limit(const std::vector<Segment>& segments, std::size_t index);

// The label at the head of a segment; nothing when it is damaged.
Result<std::optional<SpoolLabel>> segment_label(DiskFile& file);

}  // namespace logweir
