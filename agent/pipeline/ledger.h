// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "record/receipt.h"
#include "state/state.h"

namespace logweir {

// Value. Where this worker's records came from and where they ended, since the start. The equation that must hold
// between any two turns of the loop:
//   recovered + read + made = merged + filtered + unrouted + replayed + delivered + dropped + dead_letter + waiting
// `waiting` is counted by walking the lanes, never derived from the others.
struct LedgerCounts {
  std::uint64_t recovered = 0;  // out of a spool, or read again for the lane that had left them
  std::uint64_t read = 0;       // handed over by inputs, or dropped by them
  std::uint64_t made = 0;       // a copy for each further lane; records a filter made up
  std::uint64_t merged = 0;     // became part of another record
  std::uint64_t filtered = 0;
  std::uint64_t unrouted = 0;
  // Read again for another lane, skipped by one that had them already; or left where they are by a lane that can't hold
  // them, for which they are read again (and count as recovered then).
  std::uint64_t replayed = 0;
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;
  std::uint64_t dead_letter = 0;
  std::uint64_t waiting = 0;

  [[nodiscard]] std::int64_t discrepancy() const {
    const std::uint64_t in = recovered + read + made;
    const std::uint64_t out = merged + filtered + unrouted + replayed + delivered + dropped + dead_letter + waiting;
    return static_cast<std::int64_t>(in - out);
  }
  LedgerCounts& operator+=(const LedgerCounts& other);
};

// Value. A source as it is shown.
struct SourceReport {
  std::uint64_t id = 0;
  bool kept = false;  // its positions are saved
  std::string name;
  std::uint64_t read_to = 0;
  std::vector<std::uint64_t> prefixes;  // by lane
};

class Ledger;

// Resource, owned by the ledger. One source (a file generation, a connection) and how far each lane has got with it.
// Per lane, `cursor` is the first receipt that lane is not done with (none: all) and `prefix` the position below which
// it is done. Invariant: prefix never falls; receipts are in position order; the head leaves once every lane passed it.
struct SourceState {
  struct Lane {
    std::uint64_t prefix = 0;
    std::uint64_t resume = 0;  // what an earlier run had delivered: records below it are skipped
    Receipt* cursor = nullptr;
    bool dirty = false;             // prefix moved since the checkpoint was last told
    SourceState* second = nullptr;  // what is read again for this lane alone; its prefix bounds ours
  };
  std::uint64_t uid = 0;         // 0: can't be read again, no checkpoint
  std::uint64_t id = 0;          // for record ids: the uid, or one made up for this run
  std::unique_ptr<char[]> name;  // for people; ends with 0
  std::uint64_t read_to = 0;
  std::uint64_t replay_below = 0;  // the largest `resume`
  Receipt* head = nullptr;
  Receipt* tail = nullptr;
  std::vector<Lane> lanes;
  std::function<void()> finished;
  SourceState* second_of = nullptr;  // this is a second reading, of that source for that lane
  std::size_t second_lane = 0;
  std::uint32_t seconds = 0;  // second readings of this one
  bool closing = false;
  bool forget = false;
  bool queued = false;      // in the ledger's list of what to write
  std::uint32_t index = 0;  // in the ledger's list of sources
};

// Resource, one per worker. Keeps every source's receipts and tells the checkpoint how far each lane has got. A
// position moves only over the contiguous prefix that a lane delivered.
class Ledger final : public ReceiptKeeper {
 public:
  // `lanes`: stable ids, in lane order. `state` may be null (nothing to keep).
  Ledger(std::vector<std::string> lanes, State* state);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger() override;

  SourceState* open(std::uint64_t uid, std::uint64_t start, std::string_view name = {});
  [[nodiscard]] static std::uint64_t start_of(const SourceState& source);
  [[nodiscard]] static std::uint64_t prefix_of(const SourceState& source);
  [[nodiscard]] static std::uint64_t prefix_of(const SourceState& source, std::size_t lane) {
    return source.lanes[lane].prefix;
  }
  void close(SourceState* source, bool forget, std::function<void()> finished);

  // A lane leaves the source's records from `from` on where they are, to be read again for it alone: their receipts are
  // the second reading's, at the same positions. The source stays until the second reading is closed and done with.
  SourceState* open_second(SourceState& source, std::size_t lane, std::uint64_t from);
  // The lane takes part in the first reading again.
  void close_second(SourceState& second);

  // A claim to [begin, end), behind all earlier ones of this source.
  ReceiptRef begin(SourceState& source, std::uint64_t begin, std::uint64_t end);
  void owe(Receipt& receipt, std::size_t lane) { ++receipt.owed[lane]; }
  void settled(Receipt& receipt, std::size_t lane);
  // All of the receipt's records below `position` are settled by this lane, others are not: its prefix need not wait
  // for the end of a large read.
  void progress(Receipt& receipt, std::size_t lane, std::uint64_t position);
  void routed(Receipt& receipt) override;

  // Tells the state what moved since the last call. Cheap when nothing did. `on_moved` is heard when there is
  // something.
  void checkpoint();
  void on_moved(std::function<void()> heard) { heard_ = std::move(heard); }

  // The `most` sources that are furthest behind, the furthest first.
  [[nodiscard]] std::vector<SourceReport> report(std::size_t most) const;
  [[nodiscard]] std::size_t source_count() const { return sources_.size() - seconds_; }

  LedgerCounts counts;  // all but `waiting`

 private:
  void advance(SourceState& source, std::size_t lane);
  void retire_heads(SourceState& source);
  void mark(SourceState& source);
  void maybe_finish(SourceState& source);
  void remove(SourceState& source);
  Receipt* take_receipt();

  std::vector<std::string> lane_ids_;
  std::vector<LaneKey> lane_keys_;  // of the same lanes; empty without a state
  State* state_;                    // may be null
  std::uint64_t next_id_;           // for sources without a uid
  std::function<void()> heard_;
  std::unordered_map<std::uint64_t, std::vector<std::pair<std::size_t, std::uint64_t>>> saved_;  // from the last run
  std::vector<std::unique_ptr<SourceState>> sources_;
  std::size_t seconds_ = 0;  // of them, second readings
  std::vector<SourceState*> moved_;
  std::vector<std::unique_ptr<Receipt>> all_receipts_;
  std::vector<Receipt*> free_receipts_;
};

}  // namespace logweir
