// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "record/origin.h"

namespace logweir {

// Resource, one per worker. Each tag once, with a dense number; tags live as long as the table.
class TagTable {
 public:
  const Tag* intern(std::string_view text) {
    auto& slot = tags_[std::string(text)];
    if (!slot) slot = std::make_unique<Tag>(Tag{std::string(text), static_cast<std::uint32_t>(tags_.size() - 1)});
    return slot.get();
  }

 private:
  std::unordered_map<std::string, std::unique_ptr<Tag>> tags_;
};

}  // namespace logweir
