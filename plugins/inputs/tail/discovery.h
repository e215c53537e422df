// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "loop/timer_wheel.h"
#include "plugin/input.h"
#include "plugins/inputs/tail/catalogue.h"
#include "plugins/inputs/tail/directories.h"
#include "plugins/inputs/tail/exchange.h"
#include "plugins/inputs/tail/glob.h"
#include "plugins/inputs/tail/known.h"
#include "plugins/inputs/tail/moves.h"
#include "plugins/inputs/tail/options.h"
#include "plugins/inputs/tail/walk.h"

namespace logweir::tail {

// Resource, one per instance, on the control loop. Finds the files and says what becomes of them to the worker that
// owns each. It opens no file and knows no positions; what is in a file is the worker's business.
//
// Three ways of looking, each one Catalogue::apply:
//   an event about a name   that name is looked at
//   a scan                  all patterns are walked: at start, each refresh_interval, after a queue overflow, when a
//                           directory (or a link on the way) came or went; each second while something is unwatched
//   by memory               at start, for generations of the last run that no pattern leads to: by inode, in the
//                           directory where they were seen last (rotated while we were down)
// At start it looks twice, and hears the events in between, before it says anything: a rotation in the middle of a look
// can hide a file from it, and then older files would be told of after younger ones. For the same reason files of one
// stream that one look finds are told of together; the worker puts them in order.
class Discovery final : public InputShared, private CatalogueListener, private WalkSink {
 public:
  explicit Discovery(std::shared_ptr<const TailOptions> options);
  ~Discovery() override;
  Status open(SharedServices& services) override;
  void close() override;

  [[nodiscard]] Exchange& exchange() { return *exchange_; }

 private:
  struct Announced {
    FileNumber number;
    FileStat stat;
    std::unique_ptr<GenerationFact> known;
    std::uint64_t start = 0;
    std::string renamed_from;  // the stream's name, if it had that before
  };

  // CatalogueListener
  void appeared(FileNumber number, const std::string& path, const FileStat& stat) override;
  void changed(FileNumber number) override;
  void moved(FileNumber number, const std::string& path, bool wanted) override;
  void gone(FileNumber number) override;
  // WalkSink
  void directory(const std::string& path) override { directories_->add(path); }
  void file(const std::string& path, const FileStat& stat, bool is_link) override;

  void take_over();
  void open_watch();
  void heard(std::span<const WatchEvent> events);
  void heard_of(const std::string& path, const WatchEvent& event);
  void look_at_touched();
  std::vector<Sighting> sight_touched();
  Sighting sight(const std::string& path);
  void scan();
  void scan_soon();
  void scanned_first();
  void look_for_remembered();
  void look_for_missed();
  void look_for_moved();
  void prune();
  void announce_new();
  [[nodiscard]] Appeared appearance(Announced& file);
  void wake(FileNumber number);
  void let_go();

  [[nodiscard]] bool wanted(std::string_view path) const;
  [[nodiscard]] bool is_passed_over(std::string_view path) const;
  [[nodiscard]] bool leads_on(std::string_view path) const;
  [[nodiscard]] bool is_ours(const Identity& id) const;
  [[nodiscard]] std::string base_of(const std::string& path) const;
  [[nodiscard]] std::string root_of(std::string path) const;
  [[nodiscard]] unsigned worker_of(std::string_view stream) const;
  [[nodiscard]] Nanos interval() const;

  std::shared_ptr<const TailOptions> options_;  // shared by all parts of the instance, on several threads
  SharedServices* services_ = nullptr;
  std::vector<PathPattern> patterns_;
  Catalogue catalogue_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<KnownGenerations> known_;
  std::unique_ptr<Directories> directories_;
  std::unique_ptr<Timer> refresh_;
  std::unique_ptr<Timer> soon_;
  std::unique_ptr<Timer> prune_;
  std::unique_ptr<Wakeup> let_go_heard_;
  std::vector<Sighting> sightings_;          // of the scan under way
  std::unordered_set<std::string> touched_;  // names that events of this turn speak of
  std::vector<Announced> new_;               // found, not yet announced
  Moves moves_;
  std::string scratch_;
  Nanos next_scan_ = 0;
  unsigned scans_ = 0;
  bool first_scan_done_ = false;
  bool want_scan_ = false;
};

}  // namespace logweir::tail
