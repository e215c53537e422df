// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/catalogue.h"

#include <algorithm>
#include <utility>

namespace logweir::tail {

FileNumber Catalogue::at(std::string_view path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? kNoFile : found->second;
}

bool Catalogue::holds(const Identity& id) const {
  const auto found = by_inode_.find(inode_of(id));
  return found != by_inode_.end() && files_[found->second].id.same_birth(id);
}

// Names that lead elsewhere now are taken away first, so that a file that moved is loose when its new name is seen.
void Catalogue::apply(std::vector<Sighting> sightings) {
  for (const Sighting& s : sightings) {
    const FileNumber number = at(s.path);
    if (number == kNoFile) continue;
    const Identity& id = files_[number].id;
    const bool same = s.stat && inode_of(s.stat->id) == inode_of(id) && s.stat->id.same_birth(id);
    if (!same) unname(s.path, number);
  }
  for (Sighting& s : sightings) {
    if (s.stat) see(s);
  }
  // Made and lost in this one look (its inode was given to another file between two of the sightings): nobody was told.
  std::erase_if(new_ones_, [this](const auto& made) {
    const bool lost = files_[made.first].names.empty();
    if (lost) erase(made.first);
    return lost;
  });
  for (const FileNumber number : std::exchange(loose_, {})) {
    File& file = files_[number];
    if (!file.used || !file.names.empty() || file.gone) continue;
    file.gone = true;
    listener_.gone(number);
  }
  for (const auto& [number, stat] : std::exchange(new_ones_, {})) {
    listener_.appeared(number, *files_[number].names.front(), stat);
  }
}

void Catalogue::see(Sighting& s) {
  const auto found = by_inode_.find(inode_of(s.stat->id));
  if (found != by_inode_.end() && files_[found->second].id.same_birth(s.stat->id)) {
    const FileNumber number = found->second;
    name(s, number);
    File& file = files_[number];
    if (file.size == s.stat->size && file.mtime == s.stat->mtime) return;
    file.size = s.stat->size;
    file.mtime = s.stat->mtime;
    return listener_.changed(number);
  }
  if (!s.wanted && !s.remembered) return;
  if (found != by_inode_.end()) {
    // The number of a dead inode, used again. The worker still has the old file; nothing leads to it any more.
    const FileNumber dead = found->second;
    while (!files_[dead].names.empty()) unname(std::string(*files_[dead].names.back()), dead);
    by_inode_.erase(found);
  }
  new_ones_.emplace_back(make(s), *s.stat);
}

// Gives a file that is known the name it was seen under.
void Catalogue::name(Sighting& s, FileNumber number) {
  File& file = files_[number];
  if (at(s.path) == number) return;
  if (!file.names.empty()) drop_stale_names(number, s.path);
  const bool first = file.names.empty();
  if (!first && !s.wanted) return;  // one more name nobody asked for
  if (const FileNumber other = at(s.path); other != kNoFile) unname(s.path, other);
  const auto entry = names_.emplace(std::move(s.path), number).first;
  file.names.push_back(&entry->first);
  if (first || (s.wanted && !file.wanted)) {
    std::swap(file.names.front(), file.names.back());
    file.wanted = s.wanted;
    file.gone = false;
    listener_.moved(number, *file.names.front(), s.wanted);
  }
}

// A new name while the old ones are still on the books: a hard link, or a rename whose other half is not heard yet.
void Catalogue::drop_stale_names(FileNumber number, const std::string& except) {
  const std::vector<const std::string*> names = files_[number].names;
  for (const std::string* name : names) {
    if (*name == except) continue;
    const auto stat = stat_path(name->c_str());
    if (!stat || inode_of(stat->id) != inode_of(files_[number].id)) unname(std::string(*name), number);
  }
}

void Catalogue::unname(const std::string& path, FileNumber number) {
  File& file = files_[number];
  const auto entry = names_.find(path);
  if (entry == names_.end() || entry->second != number) return;
  const bool first = !file.names.empty() && file.names.front() == &entry->first;
  std::erase(file.names, &entry->first);
  names_.erase(entry);
  if (file.names.empty()) {
    loose_.push_back(number);
  } else if (first) {
    listener_.moved(number, *file.names.front(), file.wanted);
  }
}

FileNumber Catalogue::make(const Sighting& s) {
  FileNumber number;
  if (free_.empty()) {
    number = static_cast<FileNumber>(files_.size());
    files_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  File& file = files_[number];
  file.id = s.stat->id;
  file.size = s.stat->size;
  file.mtime = s.stat->mtime;
  file.changed.store(false);
  file.used = true;
  file.wanted = s.wanted;
  file.gone = false;
  file.silent = false;
  by_inode_[inode_of(file.id)] = number;
  if (const FileNumber other = at(s.path); other != kNoFile) unname(s.path, other);
  file.names.assign(1, &names_.emplace(s.path, number).first->first);
  return number;
}

void Catalogue::erase(FileNumber number) {
  File& file = files_[number];
  if (!file.used) return;
  for (const std::string* name : file.names) names_.erase(names_.find(*name));
  file.names = {};
  file.used = false;
  const auto found = by_inode_.find(inode_of(file.id));
  if (found != by_inode_.end() && found->second == number) by_inode_.erase(found);
  free_.push_back(number);
}

}  // namespace logweir::tail
