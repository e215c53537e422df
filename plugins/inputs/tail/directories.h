// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "loop/watch.h"

namespace logweir::tail {

// Resource. Which directories are watched, and under which names each is known: one inode may be reached by several
// paths (links). Also where the links to files lead, so that a change of the real file is known by the link's name.
// A `begin_round` .. `end_round` pair encloses a look at everything; what was not named in it is let go.
class Directories {
 public:
  // `watch` null: nothing is watched, everything is looked at again and again.
  Directories(std::unique_ptr<Watch> watch, Log log) : watch_(std::move(watch)), log_(std::move(log)) {}

  void begin_round() { ++round_; }
  void add(const std::string& path);
  // The file `path`, a link, in truth is `real`.
  void add_link(const std::string& path);
  void end_round();

  // The names of the directory behind a wd.
  [[nodiscard]] const std::vector<std::string>* names_of(int wd) const;
  // Links lead to a real path, each with the round it was last seen in.
  using Links = std::unordered_map<std::string, std::uint64_t>;
  [[nodiscard]] const Links* links_to(std::string_view real) const;
  void ended(int wd);
  // Something is not watched: look at everything often.
  [[nodiscard]] bool must_poll() const { return watch_ == nullptr || unwatched_; }

 private:
  struct Seen {
    int wd = -1;
    std::uint64_t round = 0;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  void refused(const std::string& path, const Status& why);
  void unlink(const std::string& path, int wd);

  std::unique_ptr<Watch> watch_;
  Log log_;
  std::uint64_t round_ = 0;
  bool unwatched_ = false;
  bool warned_ = false;
  std::unordered_map<std::string, Seen> by_path_;
  std::unordered_map<int, std::vector<std::string>> by_wd_;
  std::unordered_map<std::string, Links, TextHash, std::equal_to<>> links_;  // by real path
};

}  // namespace logweir::tail
