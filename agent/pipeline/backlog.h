// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/log.h"
#include "loop/jobs.h"
#include "loop/loop.h"
#include "pipeline/lane.h"
#include "pipeline/ledger.h"
#include "pipeline/router.h"
#include "plugin/input.h"

namespace logweir {

// Resource, one per input and worker. The file is the buffer: what a lane can neither hold nor spool in time, while
// others take it, is left where it is and read again for that lane alone, once its peer or its spool takes more.
//
// Per lane a list of gaps, one per source, in the order in which they began. While a source has one, all that comes of
// it is left as well, and what was never seen before gets one behind those (it may be a file's next generation), so
// that order holds. They are read one after the other; one that has come to where the input is, is closed, and the
// lane takes part again. What a stop finds open is read again by the next run, from the lane's own prefix.
//
// For the peer a gap is read at any time; for the spool alone only while the input is calm: it is a matter of a file
// being deleted meanwhile, and not worth what it takes from the outputs that work.
class Backlog final : public Leaving {
 public:
  struct Setup {
    Loop& loop;
    Pool& pool;
    BatchPool& batches;
    Ledger& ledger;
    Jobs::Desk& jobs;
    Router& router;
    std::size_t lanes;
    // Takes what was read again; its bytes are [begin, end) of the second reading.
    std::function<void(const BatchRef& batch, SourceState& second, std::uint64_t begin, std::uint64_t end)> deliver;
    std::function<void(std::uint64_t bytes)> lost;    // destroyed before they could be read again
    std::function<void(std::size_t lane)> caught_up;  // it has no gap any more
  };
  explicit Backlog(Setup setup);
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  void attach(Input* input) { input_ = input; }
  bool leaves(Lane& lane, const Batch& batch) override;
  // A lane that got the batch is full now. True: it leaves what follows instead of holding the input back.
  bool leaves_next(Lane& lane, const Batch& batch);
  // Bytes came, which the input is busy with.
  void saw(std::uint64_t bytes) { seen_ += bytes; }

  [[nodiscard]] bool has(std::size_t lane) const { return !lanes_[lane].gaps.empty(); }
  [[nodiscard]] std::uint64_t bytes(std::size_t lane) const;
  void read_more(std::size_t lane);  // cheap when there is nothing to do
  // Reads no more. Counts as lost what no later run will find.
  void close();

 private:
  struct Gap {
    SourceState* source = nullptr;
    SourceState* second = nullptr;  // the ledger's
    std::shared_ptr<Reread> text;   // shared with the input
    std::uint64_t at = 0;           // read again as far as here
    std::uint64_t to = 0;           // left as far as here
  };
  struct Left {
    std::deque<Gap> gaps;
    std::vector<std::uint64_t> rejoined;  // ids of sources whose gap was closed while others are open
    std::size_t want = 0;                 // bytes of the next window
    Hunger hunger;
    int tries = 0;  // in a row that found nothing where there should be something
    bool reading = false;
  };
  struct Read;

  bool open(Left& left, std::size_t lane, SourceState& source, std::uint64_t from, std::uint64_t to);
  [[nodiscard]] bool others_take(const Lane& lane, const Batch& batch);
  void read_ended(const std::shared_ptr<Read>& read);
  [[nodiscard]] bool take(Left& left, const Read& read);
  void give_up(Gap& gap);
  void close_front(std::size_t lane);
  void tick();

  Setup setup_;
  Input* input_ = nullptr;
  std::vector<Left> lanes_;
  std::uint64_t seen_ = 0;  // since the last tick
  bool calm_ = false;
  bool closed_ = false;
  Timer timer_;
};

}  // namespace logweir
