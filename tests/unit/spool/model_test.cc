// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "spool/crc32c.h"
#include "spool/reader.h"
#include "spool/writer.h"
#include "tests/support/faulty_disk.h"

namespace logweir {

namespace {

const SpoolIdentity kMine{"tcp.0", "10.0.0.1:5170"};
const std::string kDirectory = "/state/spool/x/0";

// A spool on a faulty disk beside a plain map that says what it must hold. What is true at all times:
// - a frame whose sync succeeded, and that was not trimmed, can be read with the bytes it was stored with, unless one
// of
//   the bits that were turned is in it;
// - nothing else is ever read under its sequence, and nothing that nobody wrote under any;
// - the frontier never passes a frame that was not trimmed;
// - once the disk works again, so does the spool.
class Model {
 public:
  explicit Model(std::uint32_t seed) : seed_(seed), random_(seed), disk_(seed * 7 + 1) { open(); }

  void step() {
    const std::uint32_t dice = random_() % 100;
    if (dice < 45) {
      append();
    } else if (dice < 65) {
      sync();
    } else if (dice < 78) {
      read();
    } else if (dice < 88) {
      trim();
    } else if (dice < 90) {
      (void)writer_->rest(1);
    } else if (dice < 93) {
      set_faults();
    } else if (dice < 95) {
      disk_.cut_power_after(1 + static_cast<int>(random_() % 12));
    } else if (dice < 97) {
      crash();
    } else if (dice < 98) {
      restart();
    } else {
      flip();
    }
  }
  // With a disk that works: all that must be there is, and the spool takes more.
  void finish() {
    crash();
    read_all();
    for (int i = 0; i < 3; ++i) {
      trim();
      append();
      sync();
    }
    REQUIRE(writer_->synced() == writer_->next());
    read_all();
  }
  [[nodiscard]] std::uint64_t stored() const { return stored_total_; }
  [[nodiscard]] std::size_t lost() const { return lost_.size(); }

 private:
  std::string make_frame(std::uint64_t sequence) {
    const std::size_t size = 8 + random_() % (random_() % 20 == 0 ? 14'000 : 700);
    std::string frame(kFrameHead + size, '\0');
    for (std::size_t i = kFrameHead; i < frame.size(); i += 1 + i / 64) frame[i] = static_cast<char>(random_());
    FrameHead head;
    head.sequence = sequence;
    head.size = static_cast<std::uint32_t>(size);
    head.records = 1;
    head.payload_crc = crc32c(std::string_view(frame).substr(kFrameHead));
    frame.resize(head.frame_size());
    write_head(head, writer_->mark(), frame.data());
    return frame;
  }
  void append() {
    std::vector<std::string> frames(1 + random_() % 3);
    std::vector<std::string_view> views;
    const std::uint64_t first = writer_->next();
    for (std::size_t i = 0; i != frames.size(); ++i) {
      frames[i] = make_frame(first + i);
      written_[first + i].insert(frames[i]);
      views.push_back(frames[i]);
    }
    const std::uint64_t synced = writer_->synced();
    if (writer_->append(views, 1).ok()) {
      REQUIRE(writer_->next() == first + frames.size());
      for (std::size_t i = 0; i != frames.size(); ++i) appended_[first + i] = frames[i];
    } else {
      REQUIRE((writer_->next() == first || writer_->next() == writer_->synced()));
    }
    if (writer_->synced() != synced) take_synced();  // it went on in a new segment
  }
  void sync() {
    if (writer_->sync().ok()) REQUIRE(writer_->synced() == writer_->next());
    take_synced();
  }
  // What the writer calls stored must stay from now on.
  void take_synced() {
    for (auto at = appended_.begin(); at != appended_.end() && at->first < writer_->synced();) {
      stored_[at->first] = at->second;
      ++stored_total_;
      at = appended_.erase(at);
    }
    appended_.erase(appended_.lower_bound(writer_->next()), appended_.end());
  }
  void trim() {
    const std::uint64_t to = writer_->frontier() + random_() % (writer_->synced() - writer_->frontier() + 1);
    trimmed_ = std::max(trimmed_, to);
    (void)writer_->trim(to, 1);
    stored_.erase(stored_.begin(), stored_.lower_bound(trimmed_));
  }
  void set_faults() {
    const std::uint32_t often[] = {0, 0, 3, 10, 50};
    disk_.fail_one_in(often[random_() % 5], often[random_() % 5]);
  }
  void crash() {
    disk_.fail_one_in(0, 0);
    reader_.reset();
    writer_.reset();
    disk_.crash();
    open();
  }
  // The process ends; the disk and its faults stay.
  void restart() {
    reader_.reset();
    writer_.reset();
    open();
  }
  void open() {
    for (int attempt = 0; writer_ == nullptr; ++attempt) {
      auto opened = SpoolWriter::open(disk_, kDirectory, kMine, {12 << 10, 96 << 10, 0, seed_ % 2 == 0}, 1);
      if (opened.ok()) {
        writer_ = std::move(opened).value();
        break;
      }
      REQUIRE_MESSAGE(attempt < 20, opened.status().message());
      if (attempt < 10) continue;
      disk_.fail_one_in(0, 0);
      disk_.crash();
    }
    appended_.clear();
    REQUIRE(writer_->frontier() <= std::max<std::uint64_t>(trimmed_, first_stored()));
    // Frames at the end that a turned bit damaged: their sequences are given again.
    for (auto at = stored_.lower_bound(writer_->next()); at != stored_.end(); at = stored_.erase(at)) {
      lost_.insert({at->first, at->second});
    }
    for (auto at = stored_.begin(); at != stored_.end() && at->first < writer_->frontier(); at = stored_.erase(at)) {
      lost_.insert({at->first, at->second});
    }
    REQUIRE(lost_.size() <= flips_);
    trimmed_ = std::min(trimmed_, writer_->next());
    reader_ = std::make_unique<SpoolReader>(disk_, kDirectory, writer_->mark());
  }
  [[nodiscard]] std::uint64_t first_stored() const { return stored_.empty() ? UINT64_MAX : stored_.begin()->first; }

  void read() {
    if (writer_->synced() == writer_->frontier()) return;
    const std::uint64_t waiting = writer_->synced() - writer_->frontier();
    const std::uint64_t from = writer_->frontier() + random_() % waiting;
    check({from, from + 1 + random_() % 20});
  }
  void read_all() { check({writer_->frontier(), UINT64_MAX}); }
  void check(SequenceRange wanted) {
    std::vector<char> memory(4096);
    const std::uint64_t end = std::min(wanted.end, writer_->stored().next);
    while (wanted.begin < end) {
      SpoolRun run;
      if (!reader_->read(wanted, writer_->stored(), memory, run).ok()) return;
      std::set<std::uint64_t> found;
      for (std::size_t i = 0; i != run.frames.size(); ++i) {
        found.insert(run.heads[i].sequence);
        // A bit turned in the padding harms nobody.
        std::string frame(run.frames[i].substr(0, kFrameHead + run.heads[i].size));
        frame.resize(run.frames[i].size());
        check_frame(run.heads[i].sequence, frame);
      }
      REQUIRE(found.size() == run.frames.size());
      REQUIRE(run.missing == run.end - run.begin - found.size());
      for (auto at = stored_.lower_bound(run.begin); at != stored_.end() && at->first < run.end; ++at) {
        if (found.count(at->first) == 0) lost_.insert({at->first, at->second});
      }
      REQUIRE(lost_.size() <= flips_);
      if (run.needs > memory.size()) memory.resize(run.needs);
      REQUIRE((run.end > wanted.begin || run.needs > 0));
      wanted.begin = run.end;
    }
  }
  void check_frame(std::uint64_t sequence, const std::string& frame) {
    if (const auto stored = stored_.find(sequence); stored != stored_.end()) {
      REQUIRE(frame == stored->second);
    } else {
      REQUIRE(written_[sequence].count(frame) == 1);
    }
  }
  void flip() {
    const auto entries = disk_.files(kDirectory);
    if (!entries.ok()) return;
    const Disk::Entry& entry = entries.value()[random_() % entries.value().size()];
    // One slot of the state is always good: both damaged would only mean repetitions, but those are not the point here.
    if (entry.size == 0 || entry.name == kStateName) return;
    disk_.flip(kDirectory + "/" + entry.name, random_() % entry.size, random_() % 8);
    ++flips_;
  }

  const std::uint32_t seed_;
  std::mt19937 random_;
  FaultyDisk disk_;
  std::unique_ptr<SpoolWriter> writer_;
  std::unique_ptr<SpoolReader> reader_;
  std::map<std::uint64_t, std::set<std::string>> written_;  // by sequence: all that was ever given to `append`
  std::map<std::uint64_t, std::string> appended_;           // not synced
  std::map<std::uint64_t, std::string> stored_;             // synced and not trimmed
  std::set<std::pair<std::uint64_t, std::string>> lost_;
  std::size_t flips_ = 0;
  std::uint64_t trimmed_ = 0;
  std::uint64_t stored_total_ = 0;
};

// LOGWEIR_SEED repeats one run, LOGWEIR_RUNS asks for more of them.
std::uint32_t setting(const char* name, std::uint32_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

TEST_CASE("the spool holds what it must through crashes, failures and damage") {
  constexpr std::uint32_t kSteps = 2000;
  const std::uint32_t only = setting("LOGWEIR_SEED", 0);
  const std::uint32_t runs = only != 0 ? 1 : setting("LOGWEIR_RUNS", 60);
  std::uint64_t stored = 0;
  std::uint64_t lost = 0;
  for (std::uint32_t run = 1; run <= runs; ++run) {
    const std::uint32_t seed = only != 0 ? only : run;
    CAPTURE(seed);
    Model model(seed);
    for (std::uint32_t i = 0; i < kSteps; ++i) {
      CAPTURE(i);
      model.step();
    }
    model.finish();
    stored += model.stored();
    lost += model.lost();
  }
  const std::uint64_t steps = std::uint64_t{runs} * kSteps;
  MESSAGE(steps, " steps, seeds 1 to ", runs, ", ", stored, " frames stored, ", lost, " lost to turned bits");
  CHECK(stored > runs * 100);
}

}  // namespace logweir
