// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/disk.h"
#include "base/log.h"
#include "codec/body_check.h"
#include "loop/jobs.h"
#include "loop/loop.h"
#include "loop/mailbox.h"
#include "metrics/metrics.h"
#include "pipeline/committer.h"
#include "pipeline/ledger.h"
#include "pipeline/shipping_list.h"
#include "pipeline/tag_table.h"
#include "spool/directory.h"
#include "spool/frame.h"
#include "spool/reader.h"

namespace logweir {

// Interface. The lane, as its spool sees it; called from the loop, never inside a call of the spool's.
class LaneSpoolUser {
 public:
  virtual ~LaneSpoolUser() = default;
  // The write under way is stored, or nothing of it is.
  virtual void stored(bool ok) = 0;
  // Records out of the spool, in order. The claim is theirs until it is let go of.
  virtual void came_back(BatchRef batch, const ReceiptRef& claim) = 0;
  // There may be something to write or to read again.
  virtual void spool_ready() = 0;
};

// Resource, one per output and worker that may spill: the lane's records on disk. The disk is touched by the committer
// and by job threads only. In the ledger a spool is a source whose positions are the sequences of its frames, so that
// the prefix that this lane is done with is the frontier below which frames are deleted.
class LaneSpool {
 public:
  struct Setup {
    Loop& loop;
    Ledger& ledger;
    BatchPool& batches;
    TagTable& tags;
    Jobs::Desk& jobs;
    Metrics& metrics;
    Disk& disk;
    Committer& committer;
    Log log;
    std::string name;      // of the output
    std::size_t lane = 0;  // in the ledger
    std::string root;      // where the spools are
    SpoolIdentity identity;
    SpoolOptions options;
    unsigned worker = 0;
    unsigned workers = 1;
  };
  // Takes up what an earlier run left for this worker. Blocks for a moment. A failure is a sentence for the user.
  static Result<std::unique_ptr<LaneSpool>> open(Setup setup);
  LaneSpool(const LaneSpool&) = delete;
  LaneSpool& operator=(const LaneSpool&) = delete;
  ~LaneSpool();
  void attach(LaneSpoolUser& user) { user_ = &user; }

  // ---- writing: one write is gathered, then under way ----

  // Value. Records [first, last) of a node, and the frames they are.
  struct Piece {
    ShippingNode* node = nullptr;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t records = 0;
  };
  // No write is under way, and no failure is being waited out.
  [[nodiscard]] bool can_write() const { return !writing_ && loop_now() >= retry_at_; }
  enum class Added : unsigned char {
    added,
    full,       // this write is full, or there is no memory now
    too_large,  // the record behind `fitting` ones is larger than a frame may be; nothing of the node was added
  };
  // Encodes the node's records behind what was added since the last write.
  Added add(ShippingNode& node);
  [[nodiscard]] std::uint32_t fitting() const { return fitting_; }
  [[nodiscard]] std::vector<Piece>& pieces() { return pieces_; }
  void write();
  // Whether all that is older than this stored piece is in memory or done with.
  [[nodiscard]] bool is_next(const Piece& piece) const;
  // The frames of a piece that is next and stays in memory as well, as the lane's claim.
  ReceiptRef claim(const Piece& piece);
  // Those of a piece that is not in memory any more: they are read when their turn comes.
  void leave(const Piece& piece) { unread_ += piece.records; }

  // ---- reading ----

  [[nodiscard]] bool has_unread() const;
  [[nodiscard]] bool idle() const { return !writing_ && pieces_.empty() && !has_unread(); }
  [[nodiscard]] std::uint64_t unread() const { return unread_; }  // records
  void read_more();                                               // unless a read is under way

  [[nodiscard]] const std::string& fault() const { return fault_; }  // empty: all is well
  void not_needed();  // nothing is to be written now: a write that failed is no fault any more
  void refresh_gauges(std::uint64_t unstored_bytes);  // `unstored_bytes`: what waits to be written
  // Forgets what is under way. Waits for the committer to give back what it was lent, which a disk that hangs can make
  // as long as it likes: who stops a process bounds that.
  void close();

 private:
  struct Shard;
  struct Read;
  struct Answer {
    bool trim;
  };
  class Origins;

  explicit LaneSpool(Setup setup);
  Status open_shards();
  Status open_shard(const SpoolPlace& place);
  [[nodiscard]] Nanos loop_now() const { return setup_.loop.now(); }
  [[nodiscard]] Shard& own();
  Shard* oldest_unread();
  void submit(Commit& commit, bool trim);
  void answered(const Answer& answer);
  void written();
  void trimmed();
  char* room(std::size_t bytes);
  void failed(const Status& status);
  void wake_at(Nanos at, Nanos slack);
  void woken();
  void recovered();
  void read_ended(const std::shared_ptr<Read>& read);
  bool take_in(Shard& shard, const SpoolRun& run);
  void read_later();
  void give_up(Shard& shard, const SpoolExtent& read_extent, const Status& why);
  void pass_over(Shard& shard, std::uint64_t to, bool damaged);
  void all_read();
  void trim();
  void remove(Shard& shard);

  Setup setup_;
  LaneSpoolUser* user_ = nullptr;
  std::vector<std::unique_ptr<Shard>> shards_;  // those of other worker counts, then the own
  std::unique_ptr<Origins> origins_;
  BodyCheck bodies_;

  std::vector<ChunkRef> chunks_;  // of the write that is gathered or under way
  std::vector<Piece> pieces_;
  Commit commit_;
  Commit trim_;
  Shard* trimming_ = nullptr;
  bool writing_ = false;        // until its answer is heard
  std::uint64_t gathered_ = 0;  // bytes
  std::uint64_t next_ = 1;      // sequence of the next frame
  Nanos retry_at_ = 0;          // no write before
  Nanos read_at_ = 0;           // no read before
  Nanos wake_at_ = 0;           // of `retry_`
  std::uint32_t fitting_ = 0;   // of the node that was last too large
  std::string fault_;

  std::shared_ptr<Read> read_;
  std::size_t read_bytes_;
  Hunger write_hunger_;
  Hunger read_hunger_;
  std::uint64_t unread_ = 0;
  bool saw_damage_ = false;
  bool closed_ = false;

  Gauge& size_gauge_;
  Gauge& unread_gauge_;
  Gauge& unstored_gauge_;
  Counter& damaged_;
  Counter& failures_;
  Mailbox<Answer> mail_;
  std::mutex lent_mutex_;
  std::condition_variable lent_back_;
  int lent_ = 0;  // commits that the committer has
  Timer retry_;
  Timer trim_timer_;
  LogLimit failure_log_;
  LogLimit damage_log_;
};

}  // namespace logweir
