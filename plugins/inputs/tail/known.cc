// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/known.h"

#include <tuple>

namespace logweir::tail {

KnownGenerations::KnownGenerations(const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    if (fact.key == kBeganKey) {
      began_ = true;
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
    if ((id.btime == 0 || entry.fact.id.btime == 0) && likeness(entry.fact, id, path) == 0) continue;
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
