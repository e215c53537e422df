// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugin/input.h"
#include "plugins/inputs/tail/fact.h"

namespace logweir::tail {

// Resource. The generations that earlier runs were reading, until a file is found for each.
class KnownGenerations {
 public:
  // Facts that can't be read are counted in `damaged` and passed over.
  explicit KnownGenerations(const std::vector<Fact>& facts);

  // Adds what another agent was reading. Each is kept as a fact under a uid that is the same each time, so that an
  // import that is broken off is none that is done twice.
  void add_foreign(const std::vector<ForeignPosition>& positions, std::uint64_t machine_id,
                   const std::function<void(std::string_view key, std::string_view value)>& keep);
  // Whether the first look of some run was ended or an import was done.
  [[nodiscard]] bool said_began() const { return said_began_; }
  // Whether this instance has run before.
  [[nodiscard]] bool began() const { return began_; }
  [[nodiscard]] std::size_t damaged() const { return damaged_; }

  // Takes the generation that this inode was last, if any. Of equal inodes on several mounts the one of the same
  // device, else of the same path; of several epochs the last.
  std::optional<GenerationFact> take(const Identity& id, std::string_view path);
  // Whether some generation of that stream is known (taken ones as well).
  [[nodiscard]] bool has_stream(std::string_view stream) const;
  // Frees what is not needed once all files were looked at; `left` stays as it is.
  void forget_taken();
  void forget_all();
  // Those nobody has taken yet.
  [[nodiscard]] std::vector<GenerationFact> left() const;

 private:
  struct Entry {
    GenerationFact fact;
    bool taken = false;
  };
  static int likeness(const GenerationFact& fact, const Identity& id, std::string_view path);
  std::unordered_multimap<std::uint64_t, Entry> by_inode_;
  std::unordered_map<std::string, int> streams_;
  std::size_t damaged_ = 0;
  bool began_ = false;
  bool said_began_ = false;
};

}  // namespace logweir::tail
