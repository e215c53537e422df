// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "loop/jobs.h"
#include "loop/loop.h"
#include "memory/chunk.h"
#include "metrics/metrics.h"
#include "record/batch.h"
#include "record/origin.h"

namespace logweir {

struct SourceState;  // the ledger's

// Value. Names a source to the intake: a file generation, a connection.
struct SourceSpec {
  std::uint64_t uid = 0;       // of a source that can be read again: stable over restarts; 0: not re-readable
  std::uint64_t start = 0;     // the position it would start at if nothing is known of it
  std::string_view name = {};  // for people (a path, a peer); may be empty
};

// Value. Handle to an open source; valid until `close_source`.
using Source = SourceState*;

// Interface, given to inputs by the engine; one per input instance and worker, on that worker's thread. The way in.
class Intake {
 public:
  virtual ~Intake() = default;

  // --- memory to read into ---
  // A chunk with at least `bytes` free, shared with other small reads of this worker when it has room. The caller
  // fills it from free_space(), then adds what it wants to keep to `used`. Empty: no room; the input is then paused
  // and `resume`d by the engine once there is.
  // The space is the caller's only until it returns to the loop or asks again: fill it and add to `used` at once.
  virtual ChunkRef room(std::size_t bytes) = 0;
  // The same, but a chunk that nobody else reads into: for reads that end later (a job thread).
  virtual ChunkRef own_room(std::size_t bytes) = 0;
  // The same, of just these bytes: for what is small and stays, such as a message whose end has not come.
  virtual ChunkRef exact_room(std::size_t bytes) = 0;
  // Bytes that all inputs, lanes and workers of the process may hold together.
  [[nodiscard]] virtual std::uint64_t memory_limit() const = 0;

  // --- records ---
  // An empty open batch for records of this origin, with `read_at` set to now.
  virtual BatchRef batch(const OriginRef& origin) = 0;
  // Takes the batch, which came from source bytes [begin, end): counts, parses, filters, routes. The source's
  // receipts must be delivered in position order without overlap (gaps are skipped over as done). An empty batch
  // moves the position alone (blank lines skipped). May pause the input before it returns.
  virtual void deliver(BatchRef batch, Source source, std::uint64_t begin, std::uint64_t end) = 0;

  // --- sources ---
  // Where reading starts: the smallest position that some lane still wants; `spec.start` for a new source.
  virtual Source open_source(const SourceSpec& spec) = 0;
  virtual std::uint64_t start_of(Source source) const = 0;
  // No more deliveries. The handle ends once its receipts have; `finished` is called when every lane is done with
  // it (at once when nothing is open). With `forget`, its saved positions are then removed as well.
  virtual void close_source(Source source, bool forget, std::function<void()> finished) = 0;
  // The position below which all lanes are done (what the checkpoint holds).
  virtual std::uint64_t prefix_of(Source source) const = 0;

  // --- facts that outlive the process (identity of generations) ---
  // Stored under this instance; `durable` (may be null) is called on this thread once it is on disk, or cannot be (the
  // state disk is broken: the agent runs on and says so).
  virtual void keep_fact(std::string_view key, std::string_view value, std::function<void()> durable) = 0;
  virtual void drop_fact(std::string_view key) = 0;

  // --- counters for what the engine can't see ---
  virtual void count_lost_bytes(std::uint64_t bytes) = 0;  // the world destroyed them before they were read
  virtual void count_truncated() = 0;                      // a record cut at a size limit
  virtual void count_dropped(std::string_view reason, std::uint64_t records) = 0;  // read, but never handed over
  virtual const Tag* tag(std::string_view text) = 0;                               // interned
};

struct Fact {
  std::string key;
  std::string value;
};

// Value. What an input may use; all of it outlives the input.
struct InputServices {
  Loop& loop;
  Intake& intake;
  Log log;
  Metrics& metrics;
  Jobs::Desk& jobs;
  std::string name;  // the instance's alias or plugin.N, for metrics labels
  std::string tag;   // as configured
  unsigned worker = 0;
  unsigned workers = 1;
  std::uint64_t machine_id = 0;
  // Asks the whole agent to stop in order (exit_on_eof).
  std::function<void()> finished;
};

// Interface, shared by an input and the engine. A source's bytes, once more: for a lane that did not take them when
// they were read first. On the worker's thread, but `read`. Whatever becomes of the input or the source's name, it can
// be asked until it is let go of.
class Reread {
 public:
  virtual ~Reread() = default;
  enum class Found : unsigned char {
    bytes,
    later,  // the source is not what it was; where its bytes are now is not known yet
    gone,   // they were destroyed
  };
  struct Got {
    Found found = Found::bytes;
    std::size_t bytes = 0;  // fewer than asked for: they are not there (yet)
  };
  // Any thread, which it may block.
  virtual Got read(std::uint64_t position, std::span<char> into) = 0;
  // Appends the records that begin in `window`, which stands at `position`; `last`: nothing that counts follows.
  // Windows come in order, each where the one before was used up to. Returns the bytes used; 0: it takes a larger
  // window.
  virtual std::size_t frame(Batch& batch, std::string_view window, std::uint64_t position, bool last) = 0;
  [[nodiscard]] virtual const OriginRef& origin() const = 0;
};

// Interface. A source of records; one object per worker. After construction: open, then any number of pause and
// resume, then close. All calls on the worker's thread.
class Input {
 public:
  virtual ~Input() = default;
  virtual Status open(InputServices& services) = 0;
  virtual void pause() = 0;  // stop reading soon; what is in hand may still be delivered
  virtual void resume() = 0;
  virtual void close() = 0;  // stop reading at once; nothing is delivered after it returns
  // Asked inside `deliver`, for the source of that batch: a way to read it again from the batch's begin on. Null: it
  // can't be, and lanes take what comes or hold the input back.
  virtual std::shared_ptr<Reread> reread(Source /*source*/) { return nullptr; }
};

// Value. Where another agent stopped reading a file, which is told by its inode and the name it had then.
struct ForeignPosition {
  std::string path;
  std::uint64_t inode = 0;
  std::uint64_t position = 0;
  std::int64_t first_seen = 0;  // seconds, wall clock
};

// Value. What an instance's shared part may use, on the control loop.
struct SharedServices {
  Loop& loop;
  Log log;
  Metrics& metrics;
  std::string name;
  std::string tag;
  unsigned workers = 1;
  std::uint64_t machine_id = 0;
  std::vector<Fact> facts;             // what this instance kept, from the last run
  std::vector<std::string> own_files;  // never to be read: our own log, our stdout
  // Positions that the conf's `db` has of another agent, read at each call; for the first start. Null: there is no
  // `db`.
  std::function<std::vector<ForeignPosition>()> foreign_positions = nullptr;
  // As Intake::keep_fact, from the control loop, before the workers' inputs are opened. Null: nothing is kept.
  std::function<void(std::string_view key, std::string_view value)> keep_fact = nullptr;
};

// Interface. The part of an input that all workers share, on the control loop (a file's discovery). Opened before the
// workers' inputs, closed after them; speaks to them through mailboxes.
class InputShared {
 public:
  virtual ~InputShared() = default;
  virtual Status open(SharedServices& services) = 0;
  virtual void close() = 0;
};

}  // namespace logweir
