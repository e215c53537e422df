// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "loop/loop.h"

namespace logweir {

// Value. One inotify event; `name` lives as long as the call that brings it. `mask` holds IN_* bits of <sys/inotify.h>.
struct WatchEvent {
  int wd = -1;
  std::uint32_t mask = 0;
  std::uint32_t cookie = 0;  // pairs IN_MOVED_FROM with IN_MOVED_TO
  std::string_view name;     // of the entry in the watched directory; empty: the directory itself

  // The kernel's queue was full and events are lost (wd is -1): look at everything anew.
  [[nodiscard]] bool overflow() const;
  // The watch is over (removed, or its directory is gone); the last event of this wd.
  [[nodiscard]] bool ended() const;
};

// Resource. Raw inotify on a loop, since libuv hides overflow and cookies. Events come in batches, in the kernel's
// order, a bounded number per turn. `heard` may add and remove watches and may destroy the Watch.
class Watch {
 public:
  // Fails when the user has no inotify instance or descriptor left.
  static Result<std::unique_ptr<Watch>> open(Loop& loop, std::function<void(std::span<const WatchEvent>)> heard);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  // The watch descriptor; adding the same inode again gives the same one with the new mask (or both, IN_MASK_ADD).
  // Code::full: the user's limit of watches is reached.
  Result<int> add(const std::string& path, std::uint32_t mask);
  // Events of this wd that are queued already still come, then one that says `ended`.
  void remove(int wd);

 private:
  struct Impl;
  explicit Watch(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;  // shared with its own callback alone, which may destroy the Watch
};

}  // namespace logweir
