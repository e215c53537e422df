// SPDX-License-Identifier: Apache-2.0
// The first scan: what earlier runs, or another agent, have left.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "plugins/inputs/tail/discovery.h"
#include "plugins/inputs/tail/entries.h"
#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

namespace {

constexpr Nanos kForgetAfter = 600 * kSecond;

}  // namespace

std::string working_directory() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) != nullptr ? path : "/";
}

// The first start beside a file of offsets that another agent left.
void Discovery::take_over() {
  if (known_->said_began() || !services_->foreign_positions || !services_->keep_fact) return;
  std::vector<ForeignPosition> positions = services_->foreign_positions();
  for (ForeignPosition& position : positions) {
    if (!position.path.starts_with('/')) position.path.insert(0, working_directory() + "/");
  }
  // Other inputs may share the file; and of archives another agent has the position in the file, not in the text.
  std::erase_if(positions, [this](const ForeignPosition& p) { return !wanted(p.path) || is_packed(p.path); });
  if (positions.empty()) return;
  known_->add_foreign(positions, services_->machine_id, services_->keep_fact);
  services_->log.info("the positions of {} files are taken over from {}, which is read this once and left as it is",
                      positions.size(), options_->db);
}

void Discovery::scanned_first() {
  look_for_remembered();
  look_for_missed();
  announce_new();
  first_scan_done_ = true;
  if (catalogue_.size() == 0) {
    services_->log.warn("no file matches {} so far; new ones are taken as they come", fmt::join(options_->path, ", "));
  }
  known_->forget_taken();
  for (unsigned worker = 0; worker < services_->workers; ++worker) exchange_->send(worker, Scanned{});
  if (!known_->left().empty()) prune_->arm(services_->loop.now() + kForgetAfter, kSecond);
}

// Generations no pattern led to: rotated away while we were down. They are looked for by inode where they were.
void Discovery::look_for_remembered() {
  std::unordered_map<std::string, std::unordered_multimap<std::uint64_t, const GenerationFact*>> by_directory;
  const std::vector<GenerationFact> left = known_->left();
  for (const GenerationFact& fact : left) {
    by_directory[std::string(directory_of(fact.path))].emplace(fact.id.ino, &fact);
  }
  std::vector<Sighting> found;
  for (const auto& [directory, facts] : by_directory) {
    each_entry(directory, [&, &known = facts](const dirent& entry) {
      const auto [from, to] = known.equal_range(entry.d_ino);
      if (from == to || is_packed(entry.d_name)) return;
      std::string path = directory + "/" + entry.d_name;
      auto stat = stat_path(path.c_str(), false);
      if (!stat || stat->kind != FileStat::Kind::regular || catalogue_.holds(stat->id)) return;
      const bool born_then = std::any_of(from, to, [&](const auto& f) {
        return f.second->id.same_birth(stat->id) && (!f.second->is_foreign() || is_rotated_name(path, f.second->path));
      });
      if (born_then) found.push_back({std::move(path), stat, false, true});
    });
  }
  if (!found.empty()) catalogue_.apply(std::move(found));
}

// A stream that was rotated more than once while we were down: what came between the file that we were reading and the
// one that has the stream's name now lies under names that no pattern asks for, written later than the former.
void Discovery::look_for_missed() {
  struct Rotated {
    std::string stream;
    std::int64_t mtime;
  };
  std::unordered_map<std::string, std::vector<Rotated>> by_directory;
  for (const Announced& file : new_) {
    const Catalogue::File& entry = catalogue_.file(file.number);
    if (entry.names.empty()) continue;  // lost its name since it was seen
    const std::string& path = *entry.names.front();
    if (!file.known || !is_rotated_name(path, file.known->stream) || catalogue_.at(file.known->stream) == kNoFile)
      continue;
    by_directory[std::string(directory_of(path))].push_back({file.known->stream, file.stat.mtime});
  }
  std::vector<Sighting> found;
  for (const auto& [directory, streams] : by_directory) {
    each_entry(directory, [&, &rotated = streams](const dirent& entry) {
      std::string path = directory + "/" + entry.d_name;
      if (is_packed(path) || wanted(path)) return;
      const auto may_be_of = [&](const Rotated& r) { return is_rotated_name(path, r.stream); };
      if (std::none_of(rotated.begin(), rotated.end(), may_be_of)) return;
      const auto stat = stat_path(path.c_str(), false);
      if (!stat || stat->kind != FileStat::Kind::regular || catalogue_.holds(stat->id)) return;
      const bool later = std::any_of(rotated.begin(), rotated.end(),
                                     [&](const Rotated& r) { return may_be_of(r) && r.mtime < stat->mtime; });
      if (later) found.push_back({std::move(path), stat, false, true});
    });
  }
  if (!found.empty()) catalogue_.apply(std::move(found));
}

void Discovery::prune() {
  for (const GenerationFact& fact : known_->left()) {
    exchange_->send(worker_of(fact.stream), Prune{fact.uid});
  }
  known_->forget_all();
}

}  // namespace logweir::tail
