// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace logweir::tail {

// Resource. Remembers for a while which names were given, by rename, to what had a wanted name before: a file that was
// rotated before anybody looked at it is found under its new name, and belongs to the stream of the old one.
class Moves {
 public:
  // Both halves of a rename, in the order in which they are heard; the cookie pairs them. `wanted`: whether the
  // patterns ask for the old name.
  void from(std::uint32_t cookie, const std::string& path, bool wanted);
  void to(std::uint32_t cookie, const std::string& path);
  // Another file was made at `path`, or what was there is gone.
  void other(const std::string& path) { streams_.erase(path); }
  // The name that what is at `path` now was first known by; empty: it was not renamed lately.
  [[nodiscard]] std::string_view stream_of(const std::string& path) const;
  // Forgets all when the last rename is longer ago than a look takes to follow; called before events are heard.
  void forget_old(Nanos now);

 private:
  static constexpr Nanos kRemember = 5 * kSecond;
  static constexpr std::size_t kMost = 4096;
  std::unordered_map<std::uint32_t, std::string> under_way_;  // by cookie: the stream
  std::unordered_map<std::string, std::string> streams_;      // by the new name
  Nanos now_ = 0;
  Nanos moved_ = 0;  // the last rename
};

}  // namespace logweir::tail
