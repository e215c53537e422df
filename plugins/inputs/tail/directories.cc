// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/directories.h"

#include <sys/inotify.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "plugins/inputs/tail/device.h"

namespace logweir::tail {

namespace {

constexpr std::uint32_t kMask =
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

void Directories::add(const std::string& path) {
  const auto [entry, is_new] = by_path_.try_emplace(path);
  Seen& seen = entry->second;
  if (!is_new && seen.round == round_) return;
  seen.round = round_;
  if (is_new && is_remote(path.c_str())) unwatched_ = true;  // what other machines write is not heard of
  if (watch_ == nullptr) return;
  auto added = watch_->add(path, kMask);
  if (!added.ok()) return refused(path, added.status());
  const int wd = added.value();
  if (wd == seen.wd) return;
  if (seen.wd >= 0) unlink(path, seen.wd);  // another directory has that name now
  seen.wd = wd;
  by_wd_[wd].push_back(path);
}

// A directory that is not there any more is no fault: what it was in is watched.
void Directories::refused(const std::string& path, const Status& why) {
  if (why.code() != Code::full && why.code() != Code::denied) return;
  unwatched_ = true;
  if (std::exchange(warned_, true)) return;
  log_.warn("{}; directories without a watch are looked at each second instead (first: {})", why.message(), path);
}

void Directories::add_link(const std::string& path) {
  char real[PATH_MAX];
  if (realpath(path.c_str(), real) == nullptr) return;
  const std::string_view whole = real;
  add(std::string(whole.substr(0, std::max<std::size_t>(whole.rfind('/'), 1))));
  links_[std::string(whole)][path] = round_;
}

void Directories::end_round() {
  for (auto at = by_path_.begin(); at != by_path_.end();) {
    if (at->second.round == round_) {
      ++at;
      continue;
    }
    if (at->second.wd >= 0) unlink(at->first, at->second.wd);
    at = by_path_.erase(at);
  }
  for (auto& [real, links] : links_) {
    std::erase_if(links, [this](const auto& link) { return link.second != round_; });
  }
  std::erase_if(links_, [](const auto& to) { return to.second.empty(); });
}

void Directories::unlink(const std::string& path, int wd) {
  const auto found = by_wd_.find(wd);
  if (found == by_wd_.end()) return;
  std::erase(found->second, path);
  if (!found->second.empty()) return;
  by_wd_.erase(found);
  watch_->remove(wd);
}

const std::vector<std::string>* Directories::names_of(int wd) const {
  const auto found = by_wd_.find(wd);
  return found == by_wd_.end() ? nullptr : &found->second;
}

const Directories::Links* Directories::links_to(std::string_view real) const {
  const auto found = links_.find(real);
  return found == links_.end() ? nullptr : &found->second;
}

void Directories::ended(int wd) {
  const auto found = by_wd_.find(wd);
  if (found == by_wd_.end()) return;
  for (const std::string& path : found->second) {
    const auto seen = by_path_.find(path);
    if (seen != by_path_.end() && seen->second.wd == wd) by_path_.erase(seen);
  }
  by_wd_.erase(found);
}

}  // namespace logweir::tail
