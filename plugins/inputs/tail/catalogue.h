// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugins/inputs/tail/exchange.h"
#include "plugins/inputs/tail/identity.h"

namespace logweir::tail {

// Value. One look at one path.
struct Sighting {
  std::string path;
  std::optional<FileStat> stat;  // none: nothing (readable) is there
  bool wanted = true;            // the patterns ask for this name
  bool remembered = false;       // taken even when it is not wanted: an earlier run was reading it
};

// Interface. Who hears what has become of the files; the catalogue is consistent when it is called.
class CatalogueListener {
 public:
  virtual ~CatalogueListener() = default;
  virtual void appeared(FileNumber number, const std::string& path, const FileStat& stat) = 0;
  virtual void changed(FileNumber number) = 0;
  virtual void moved(FileNumber number, const std::string& path, bool wanted) = 0;
  virtual void gone(FileNumber number) = 0;
};

// Resource. Which names lead to which inodes, as last seen. One inode is one file, whatever its names: renames, hard
// links and links to it do not make another one. Knows no threads and no patterns.
class Catalogue {
 public:
  explicit Catalogue(CatalogueListener& listener) : listener_(listener) {}
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  // Takes in what was seen, all of it at one time: a rename shows as one name that is gone and another that is there.
  void apply(std::vector<Sighting> sightings);

  struct File {
    Identity id;
    std::uint64_t size = 0;  // at the last look
    std::int64_t mtime = 0;
    std::vector<const std::string*> names;  // keys of names_; the first is the one it is known by
    std::atomic<bool> changed{false};
    bool used = false;
    bool wanted = true;
    bool gone = false;
    bool known = false;              // the listener's: an earlier run was reading it
    bool silent = false;             // the listener's: no worker knows of it
    std::uint64_t ignored_size = 0;  // the listener's
    unsigned worker = 0;             // the listener's
  };
  [[nodiscard]] FileNumber at(std::string_view path) const;  // kNoFile when no file has that name
  [[nodiscard]] bool holds(const Identity& id) const;
  [[nodiscard]] File& file(FileNumber number) { return files_[number]; }
  [[nodiscard]] std::size_t size() const { return by_inode_.size(); }
  // The worker has let go of it; its number may be used again.
  void erase(FileNumber number);

  template <typename Each>
  void each_name(Each each) const {
    for (const auto& [path, number] : names_) each(path, number);
  }

 private:
  struct InodeHash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const {
      return static_cast<std::size_t>((key.first * 0x9e3779b97f4a7c15) ^ (key.second * 0xd6e8feb86659fd93));
    }
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  static std::pair<std::uint64_t, std::uint64_t> inode_of(const Identity& id) { return {id.dev, id.ino}; }

  void unname(const std::string& path, FileNumber number);
  void drop_stale_names(FileNumber number, const std::string& except);
  void name(Sighting& sighting, FileNumber number);
  void see(Sighting& sighting);
  FileNumber make(const Sighting& sighting);

  CatalogueListener& listener_;
  std::deque<File> files_;  // by number; never moves
  std::vector<FileNumber> free_;
  std::unordered_map<std::string, FileNumber, TextHash, std::equal_to<>> names_;
  std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, FileNumber, InodeHash> by_inode_;
  std::vector<FileNumber> loose_;                          // lost a name in this `apply`
  std::vector<std::pair<FileNumber, FileStat>> new_ones_;  // made in this `apply`
};

}  // namespace logweir::tail
