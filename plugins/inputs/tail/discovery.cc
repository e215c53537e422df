// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/discovery.h"

#include <fmt/format.h>
#include <sys/inotify.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "plugins/inputs/tail/entries.h"
#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

namespace {

constexpr Nanos kPollInterval = kSecond;
constexpr Nanos kSettle = 10 * kMillisecond;  // from the first look to the second, see discovery.h
constexpr int kLooks = 4;
constexpr Nanos kLeastBetweenScans = 10 * kMillisecond;
constexpr Nanos kScanShare = 20;  // a scan is followed by a pause of so many times its length
constexpr std::uint64_t kOurs = UINT64_MAX;
constexpr std::uint32_t kNameChanged = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;

bool is_link(const std::string& path) {
  const auto stat = stat_path(path.c_str(), false);
  return stat && stat->kind == FileStat::Kind::link;
}

}  // namespace

Discovery::Discovery(std::shared_ptr<const TailOptions> options) : options_(std::move(options)), catalogue_(*this) {}

Discovery::~Discovery() = default;

Status Discovery::open(SharedServices& services) {
  services_ = &services;
  const std::string here = working_directory();
  for (const std::string& path : options_->path) patterns_.emplace_back(path, here);
  exchange_ = std::make_unique<Exchange>(services.workers);
  known_ = std::make_unique<KnownGenerations>(std::exchange(services.facts, {}));
  if (known_->damaged() > 0) {
    services.log.warn("{} remembered facts about files can't be read and are passed over", known_->damaged());
  }
  take_over();
  let_go_heard_ = std::make_unique<Wakeup>(services.loop, [this] { let_go(); });
  exchange_->hear_let_go(let_go_heard_.get());
  TimerWheel& timers = services.loop.timers();
  refresh_ = std::make_unique<Timer>(timers, [this] { scan(); });
  soon_ = std::make_unique<Timer>(timers, [this] { scan(); });
  prune_ = std::make_unique<Timer>(timers, [this] { prune(); });
  open_watch();
  scan();
  refresh_->arm(services.loop.now() + kSettle);
  return {};
}

void Discovery::open_watch() {
  std::unique_ptr<Watch> watch;
  if (options_->inotify_watcher) {
    auto opened = Watch::open(services_->loop, [this](std::span<const WatchEvent> events) { heard(events); });
    if (opened.ok()) {
      watch = std::move(opened).value();
    } else {
      services_->log.warn("{}; all files are looked at each second instead", opened.status().message());
    }
  }
  directories_ = std::make_unique<Directories>(std::move(watch), services_->log);
}

void Discovery::close() {
  if (services_ == nullptr) return;
  exchange_->hear_let_go(nullptr);
  let_go_heard_.reset();
  refresh_.reset();
  soon_.reset();
  prune_.reset();
  directories_.reset();
}

// ---- looking ----

void Discovery::heard(std::span<const WatchEvent> events) {
  moves_.forget_old(services_->loop.now());
  for (const WatchEvent& event : events) {
    if (event.overflow()) {
      services_->log.warn("the kernel's queue of file events overflowed; looking at all files anew");
      want_scan_ = true;
      continue;
    }
    if (event.name.empty()) {
      if (event.ended()) directories_->ended(event.wd);
      want_scan_ = true;
      continue;
    }
    const std::vector<std::string>* names = directories_->names_of(event.wd);
    if (names == nullptr) continue;
    for (const std::string& directory : *names) {
      scratch_.assign(directory);
      if (!scratch_.ends_with('/')) scratch_ += '/';
      scratch_.append(event.name);
      heard_of(scratch_, event);
    }
  }
  look_at_touched();
  if (want_scan_) scan_soon();
}

void Discovery::heard_of(const std::string& path, const WatchEvent& event) {
  const std::uint32_t mask = event.mask;
  const bool named = (mask & kNameChanged) != 0;
  if (named && ((mask & IN_ISDIR) != 0 || is_link(path)) && leads_on(path)) want_scan_ = true;
  if ((mask & IN_ISDIR) != 0) return;
  if ((mask & IN_MOVED_FROM) != 0) moves_.from(event.cookie, path, wanted(path));
  if ((mask & IN_MOVED_TO) != 0) moves_.to(event.cookie, path);
  if ((mask & (IN_CREATE | IN_DELETE)) != 0) moves_.other(path);
  if (!named) {
    if (const FileNumber number = catalogue_.at(path); number != kNoFile) changed(number);
  } else if (wanted(path) || catalogue_.at(path) != kNoFile || (mask & IN_MOVED_TO) != 0) {
    touched_.insert(path);
  }
  const Directories::Links* links = directories_->links_to(path);
  if (links == nullptr) return;
  for (const auto& [link, round] : *links) {
    if (named) {
      touched_.insert(link);
    } else if (const FileNumber number = catalogue_.at(link); number != kNoFile) {
      changed(number);
    }
  }
}

void Discovery::look_at_touched() {
  if (touched_.empty()) return;
  std::vector<Sighting> sightings = sight_touched();
  // A rotation between two of the looks would show files under names that they never had at one time.
  for (int times = 0; times < kLooks && touched_.size() > 1; ++times) {
    std::vector<Sighting> again = sight_touched();
    const bool same = std::equal(again.begin(), again.end(), sightings.begin(), [](const auto& a, const auto& b) {
      return a.stat.has_value() == b.stat.has_value() && (!a.stat || a.stat->id == b.stat->id);
    });
    sightings = std::move(again);
    if (same) break;
  }
  touched_.clear();
  catalogue_.apply(std::move(sightings));
  if (first_scan_done_) announce_new();
}

std::vector<Sighting> Discovery::sight_touched() {
  std::vector<Sighting> sightings;
  for (const std::string& path : touched_) sightings.push_back(sight(path));
  return sightings;
}

Sighting Discovery::sight(const std::string& path) {
  Sighting sighting{path, stat_path(path.c_str(), false), wanted(path), !moves_.stream_of(path).empty()};
  if (sighting.stat && sighting.stat->kind == FileStat::Kind::link) {
    sighting.stat = stat_path(path.c_str());
    if (sighting.wanted) directories_->add_link(path);
  }
  if (sighting.stat && sighting.stat->kind != FileStat::Kind::regular) sighting.stat.reset();
  return sighting;
}

void Discovery::file(const std::string& path, const FileStat& stat, bool is_link) {
  if (!wanted(path)) return;
  if (is_link) directories_->add_link(path);
  sightings_.push_back({path, stat, true, false});
}

void Discovery::scan_soon() {
  want_scan_ = false;
  const Nanos now = services_->loop.now();
  if (now >= next_scan_) return scan();
  if (!soon_->armed()) soon_->arm(next_scan_);
}

void Discovery::scan() {
  const Nanos began = services_->loop.now();
  soon_->cancel();
  want_scan_ = false;
  sightings_.reserve(catalogue_.size());
  directories_->begin_round();
  for (const PathPattern& pattern : patterns_) walk(pattern, *this);
  std::sort(sightings_.begin(), sightings_.end(), [](const Sighting& a, const Sighting& b) { return a.path < b.path; });
  const auto same = [](const Sighting& a, const Sighting& b) { return a.path == b.path; };
  sightings_.erase(std::unique(sightings_.begin(), sightings_.end(), same), sightings_.end());
  std::vector<std::string> unseen;
  catalogue_.each_name([&](const std::string& path, FileNumber) {
    const auto at = std::lower_bound(sightings_.begin(), sightings_.end(), path,
                                     [](const Sighting& a, const std::string& b) { return a.path < b; });
    if (at == sightings_.end() || at->path != path) unseen.push_back(path);
  });
  for (const std::string& path : unseen) sightings_.push_back(sight(path));
  if (first_scan_done_) look_for_moved();
  directories_->end_round();
  catalogue_.apply(std::move(sightings_));
  sightings_ = {};
  const bool second = ++scans_ == 2;
  if (second) scanned_first();
  if (first_scan_done_) announce_new();
  const Nanos ended = services_->loop.now();
  next_scan_ = ended + std::max(kLeastBetweenScans, (ended - began) * kScanShare);
  refresh_->arm(began + interval(), interval() / 10);
}

// Files that nothing seen now leads to: renamed to a name no pattern asks for while nobody listened (the event queue
// ran over, a watch was missing). They are looked for by inode where they were, or their last lines would never be
// read.
void Discovery::look_for_moved() {
  std::vector<std::uint64_t> seen;
  for (const Sighting& sighting : sightings_) {
    if (sighting.stat) seen.push_back(sighting.stat->id.ino);
  }
  std::sort(seen.begin(), seen.end());
  std::unordered_map<std::string, std::unordered_map<std::uint64_t, Identity>> by_directory;
  catalogue_.each_name([&](const std::string& path, FileNumber number) {
    const Identity& id = catalogue_.file(number).id;
    if (std::binary_search(seen.begin(), seen.end(), id.ino)) return;
    by_directory[std::string(directory_of(path))].emplace(id.ino, id);
  });
  for (const auto& [directory, lost] : by_directory) {
    each_entry(directory, [&, &files = lost](const dirent& entry) {
      const auto file = files.find(entry.d_ino);
      if (file == files.end()) return;
      std::string path = directory + "/" + entry.d_name;
      auto stat = stat_path(path.c_str(), false);
      if (stat && stat->id == file->second) sightings_.push_back({std::move(path), stat, false, false});
    });
  }
}

Nanos Discovery::interval() const {
  const Nanos asked = options_->refresh_interval.value;
  return directories_->must_poll() ? std::min(asked, kPollInterval) : asked;
}

// ---- saying ----

void Discovery::appeared(FileNumber number, const std::string& path, const FileStat& stat) {
  Catalogue::File& file = catalogue_.file(number);
  if (is_ours(stat.id)) {
    file.silent = true;
    file.ignored_size = kOurs;
    services_->log.info("{} is this agent's own output and is not read", path);
    return;
  }
  Announced announced{number, stat, nullptr, stat.size, std::string(moves_.stream_of(path))};
  if (auto known = known_->take(stat.id, path)) announced.known = std::make_unique<GenerationFact>(*std::move(known));
  file.known = announced.known != nullptr;
  const Nanos oldest = services_->loop.wall() - options_->ignore_older.value;
  if (!announced.known && options_->ignore_older.value > 0 && stat.mtime < oldest) {
    file.silent = true;  // until it changes; what is in it now stays unread
    file.ignored_size = stat.size;
    return;
  }
  const bool is_new = scans_ > 0 || known_->began();
  const bool from_head = is_new ? options_->read_newly_discovered_files_from_head : options_->read_from_head;
  if (from_head) announced.start = 0;
  new_.push_back(std::move(announced));
}

// Tells the workers of what was found since the last call, each stream's files in one message.
void Discovery::announce_new() {
  std::vector<std::pair<std::string, Appeared>> all;  // with the name that decides on the worker
  all.reserve(new_.size());
  for (Announced& file : std::exchange(new_, {})) {
    Catalogue::File& entry = catalogue_.file(file.number);
    if (!entry.gone) {
      Appeared message = appearance(file);
      std::string root = root_of(message.base.empty() ? message.stream : message.base);
      entry.worker = worker_of(root);
      all.emplace_back(std::move(root), std::move(message));
      continue;
    }
    if (file.known) exchange_->send(worker_of(file.known->stream), Prune{file.known->uid});
    catalogue_.erase(file.number);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.path) < std::tie(b.first, b.second.path);
  });
  for (auto at = all.begin(); at != all.end();) {
    const std::string& root = at->first;
    std::vector<Appeared> together;
    for (; at != all.end() && at->first == root; ++at) together.push_back(std::move(at->second));
    exchange_->send(worker_of(root), std::move(together));
  }
}

Appeared Discovery::appearance(Announced& a) {
  Catalogue::File& file = catalogue_.file(a.number);
  Appeared message;
  message.number = a.number;
  message.path = *file.names.front();
  if (!is_packed(message.path)) message.base = base_of(message.path);
  message.stream = message.path;
  if (a.renamed_from.empty()) a.renamed_from = moves_.stream_of(message.path);
  message.renamed = !a.renamed_from.empty();
  if (a.known) {
    message.stream = a.known->stream;
  } else if (message.renamed) {
    message.stream = std::move(a.renamed_from);
  } else if (is_rotated_name(message.path, message.base)) {
    message.stream = message.base;
    if (!first_scan_done_ && !known_->began()) message.label = message.path;  // nobody has seen it under another name
  }
  message.stat = a.stat;
  message.start = a.start;
  message.wanted = file.wanted;
  message.changed = &file.changed;
  // After a restart any file beside a known one may be a copy that was made meanwhile.
  message.fresh = first_scan_done_ || known_->has_stream(message.base) ||
                  services_->loop.wall() - a.stat.mtime < options_->rotate_wait.value;
  message.known = std::move(a.known);
  return message;
}

void Discovery::changed(FileNumber number) {
  Catalogue::File& file = catalogue_.file(number);
  if (file.silent) return wake(number);
  if (first_scan_done_ && !file.changed.exchange(true)) exchange_->send(file.worker, Changed{number});
}

// A file that was passed over as too old has changed.
void Discovery::wake(FileNumber number) {
  Catalogue::File& file = catalogue_.file(number);
  if (file.ignored_size == kOurs) return;
  const std::string path = *file.names.front();
  const auto stat = stat_path(path.c_str());
  if (!stat || !(stat->id == file.id)) return;
  const std::uint64_t start = std::min(file.ignored_size, stat->size);
  file.silent = false;
  new_.push_back({number, *stat, nullptr, start, {}});
  if (first_scan_done_) announce_new();
}

void Discovery::moved(FileNumber number, const std::string& path, bool wanted) {
  const Catalogue::File& file = catalogue_.file(number);
  if (first_scan_done_ && !file.silent) exchange_->send(file.worker, Moved{number, path, wanted});
}

void Discovery::gone(FileNumber number) {
  const Catalogue::File& file = catalogue_.file(number);
  if (file.silent) {
    catalogue_.erase(number);
  } else if (first_scan_done_) {
    exchange_->send(file.worker, Gone{number});
  }
}

void Discovery::let_go() {
  for (const FileNumber number : exchange_->take_let_go()) catalogue_.erase(number);
}

// ---- names ----

bool Discovery::wanted(std::string_view path) const {
  const auto takes = [&](const PathPattern& p) { return p.matches(path); };
  if (std::none_of(patterns_.begin(), patterns_.end(), takes) || is_passed_over(path)) return false;
  const auto shuts_out = [&](const std::string& pattern) { return match_across(pattern, path); };
  return std::none_of(options_->exclude_path.begin(), options_->exclude_path.end(), shuts_out);
}

bool Discovery::is_passed_over(std::string_view path) const {
  const Compressed asked = options_->compressed;
  if (!is_packed(path)) return false;
  const bool gzip = asked == Compressed::gzip || asked == Compressed::automatic;
  const bool zstd = asked == Compressed::zstd || asked == Compressed::automatic;
  return !(gzip && path.ends_with(".gz")) && !(zstd && path.ends_with(".zst"));
}

bool Discovery::leads_on(std::string_view path) const {
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const PathPattern& p) { return p.leads_on(path); });
}

bool Discovery::is_ours(const Identity& id) const {
  return std::any_of(services_->own_files.begin(), services_->own_files.end(), [&](const std::string& path) {
    const auto stat = stat_path(path.c_str());
    return stat && stat->id.dev == id.dev && stat->id.ino == id.ino;
  });
}

std::string Discovery::base_of(const std::string& path) const {
  std::string found;
  each_base(path, [&](std::string_view base) {
    if (catalogue_.at(base) == kNoFile) return false;
    found = base;
    return true;
  });
  return found;
}

// The shortest of the names that it extends: all files that may have to do with one another lead to the same one.
std::string Discovery::root_of(std::string path) const {
  for (std::string base = base_of(path); !base.empty(); base = base_of(path)) path = std::move(base);
  return path;
}

unsigned Discovery::worker_of(std::string_view stream) const {
  return static_cast<unsigned>(hash64(stream) % services_->workers);
}

}  // namespace logweir::tail
