// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/moves.h"

#include <utility>

namespace logweir::tail {

void Moves::from(std::uint32_t cookie, const std::string& path, bool wanted) {
  const auto renamed = streams_.find(path);
  if (renamed != streams_.end()) {
    under_way_.insert_or_assign(cookie, std::move(renamed->second));
    streams_.erase(renamed);
  } else if (wanted && under_way_.size() < kMost) {
    under_way_.insert_or_assign(cookie, path);
  }
}

void Moves::to(std::uint32_t cookie, const std::string& path) {
  const auto coming = under_way_.find(cookie);
  moved_ = now_;
  if (coming == under_way_.end()) {
    streams_.erase(path);
    return;
  }
  if (streams_.size() < kMost) streams_.insert_or_assign(path, std::move(coming->second));
  under_way_.erase(coming);
}

std::string_view Moves::stream_of(const std::string& path) const {
  const auto found = streams_.find(path);
  return found == streams_.end() ? std::string_view() : std::string_view(found->second);
}

void Moves::forget_old(Nanos now) {
  now_ = now;
  if (now - moved_ <= kRemember) return;
  under_way_.clear();
  streams_.clear();
}

}  // namespace logweir::tail
