// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/known.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

KnownGenerations::KnownGenerations(const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    if (fact.key == kBeganKey) {
      began_ = said_began_ = true;
      continue;
    }
    auto read = read_fact(fact.key, fact.value);
    if (!read) {
      ++damaged_;
      continue;
    }
    began_ = true;
    ++streams_[read->stream];
    const std::uint64_t ino = read->id.ino;
    by_inode_.emplace(ino, Entry{*std::move(read)});
  }
}

void KnownGenerations::add_foreign(const std::vector<ForeignPosition>& positions, std::uint64_t machine_id,
                                   const std::function<void(std::string_view, std::string_view)>& keep) {
  for (const ForeignPosition& position : positions) {
    GenerationFact fact;
    fact.id.ino = position.inode;
    fact.start = position.position;
    fact.born = std::clamp<std::int64_t>(position.first_seen, 1, INT64_MAX / kSecond) * kSecond;
    fact.head = head_of({});
    fact.stream = fact.path = position.path;
    fact.uid = generation_uid(machine_id, fact.id, position.path, 0, static_cast<std::int64_t>(position.position));
    if (position.path.size() > kMostPathBytes) continue;
    keep(fact_key(fact.uid), write_fact(fact));
    ++streams_[fact.stream];
    const std::uint64_t inode = fact.id.ino;
    by_inode_.emplace(inode, Entry{std::move(fact)});
  }
  keep(kBeganKey, "1");
  began_ = said_began_ = true;
}

int KnownGenerations::likeness(const GenerationFact& fact, const Identity& id, std::string_view path) {
  return (fact.id.dev == id.dev ? 4 : 0) + (fact.path == path ? 2 : 0) + (fact.stream == path ? 1 : 0);
}

std::optional<GenerationFact> KnownGenerations::take(const Identity& id, std::string_view path) {
  Entry* best = nullptr;
  const auto rank = [&](const Entry& e) { return std::tuple(likeness(e.fact, id, path), e.fact.epoch, e.fact.born); };
  const auto [from, to] = by_inode_.equal_range(id.ino);
  for (auto at = from; at != to; ++at) {
    Entry& entry = at->second;
    if (entry.taken || !entry.fact.id.same_birth(id)) continue;
    // Without a birth time the inode's number alone proves little: the device or the name must agree as well.
    const bool sure = id.btime != 0 && entry.fact.id.btime != 0;
    if (!sure && likeness(entry.fact, id, path) == 0 &&
        !(entry.fact.is_foreign() && is_rotated_name(path, entry.fact.path))) {
      continue;
    }
    if (best == nullptr || rank(entry) > rank(*best)) best = &entry;
  }
  if (best == nullptr) return std::nullopt;
  best->taken = true;
  return best->fact;
}

bool KnownGenerations::has_stream(std::string_view stream) const { return streams_.contains(std::string(stream)); }

void KnownGenerations::forget_taken() {
  std::erase_if(by_inode_, [](const auto& entry) { return entry.second.taken; });
  by_inode_.rehash(0);
  streams_ = {};
}

void KnownGenerations::forget_all() {
  by_inode_ = {};
  streams_ = {};
}

std::vector<GenerationFact> KnownGenerations::left() const {
  std::vector<GenerationFact> out;
  for (const auto& [ino, entry] : by_inode_) {
    if (!entry.taken) out.push_back(entry.fact);
  }
  return out;
}

}  // namespace logweir::tail
