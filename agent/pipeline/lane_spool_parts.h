// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "pipeline/lane_spool.h"

namespace logweir {

// Resource. One directory of frames: this worker's own, or one that another number of workers left.
struct LaneSpool::Shard {
  Shard(Disk& disk, SpoolPlace where, std::unique_ptr<SpoolWriter> opened)
      : place(std::move(where)), writer(std::move(opened)), mark(writer->mark()), reader(disk, place.directory, mark) {}

  [[nodiscard]] bool has_unread() const { return read_next < extent.next; }

  SpoolPlace place;
  std::unique_ptr<SpoolWriter> writer;  // none once it is removed
  const std::uint64_t mark;
  SpoolReader reader;             // a job thread's while a read is under way
  SourceState* source = nullptr;  // the ledger's
  SpoolExtent extent;
  std::uint64_t read_next = 1;  // all below is in memory or done with
  std::uint64_t trimmed = 1;    // the frontier that the disk was told last
  std::uint64_t size = 0;       // bytes of its files
  bool rested = false;
  int read_failures = 0;  // in a row
};

// Resource, shared by the two halves of a job. A read under way.
struct LaneSpool::Read {
  Shard* shard = nullptr;
  ChunkRef memory;
  SpoolExtent extent;
  std::uint64_t from = 0;
  SpoolRun run;
  Status status;
};

// Resource. Origins of frames, each made once.
class LaneSpool::Origins final : public OriginSource {
 public:
  explicit Origins(TagTable& tags) : tags_(tags) {}
  OriginRef origin(const StoredOrigin& stored) override {
    const auto known = made_.find(std::string(stored.bytes));
    if (known != made_.end()) return known->second;
    Origin origin;
    origin.tag = tags_.intern(stored.tag);
    origin.text_key = stored.text_key;
    origin.offset_key = stored.offset_key;
    for (const auto& [key, value] : stored.attached) origin.attached.emplace_back(key, value);
    OriginRef made = OriginRef::make(std::move(origin));
    if (made_.size() >= kMost) made_.clear();
    made_.emplace(stored.bytes, made);
    return made;
  }

 private:
  static constexpr std::size_t kMost = 4096;
  TagTable& tags_;
  std::unordered_map<std::string, OriginRef> made_;
};

}  // namespace logweir
