// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/fd.h"
#include "base/log.h"
#include "loop/jobs.h"
#include "loop/loop.h"
#include "plugin/outbox.h"
#include "plugin/output.h"
#include "plugins/outputs/file/out_file.h"

namespace logweir::file_out {

// Resource. Sees to it that written bytes reach the disk, on a job thread, in rounds: what is written while a round is
// under way is in the next one, so that one sync serves all that came meanwhile.
class Syncer {
 public:
  // `interval` 0: rounds follow one another as long as there is something to sync (group commit).
  Syncer(OutputServices& services, Nanos interval);
  Syncer(const Syncer&) = delete;
  Syncer& operator=(const Syncer&) = delete;
  ~Syncer();

  // The file was written to.
  void touch(OutFile& file);
  // Settle these records with the outcome of the round that holds all files touched so far.
  void settle_after(const RecordRange& range);
  // All that was touched so far may be synced: at once when no round is under way, or when the interval has passed.
  void go();
  // Syncs what was gathered here and now; for the end.
  void finish();

 private:
  // What a round looks at; shared with the job, which may outlive the output.
  struct Round {
    Syncer* owner = nullptr;  // null: nobody waits any more
    std::vector<Fd> files;    // duplicates: rotation and reopening may close the originals
    std::vector<RecordRange> ranges;
    int error = 0;
    void sync();
  };
  void begin();
  void done();

  OutputHost& host_;
  Jobs::Desk& jobs_;
  Loop& loop_;
  Log log_;
  const Nanos interval_;
  Timer timer_;
  std::shared_ptr<Round> round_;  // shared with the job thread
  std::vector<Fd> files_;         // gathered for the next round
  std::vector<RecordRange> ranges_;
  std::uint64_t number_ = 1;
  bool running_ = false;
  int failed_ = 0;  // gathering for the next round failed
  LogLimit log_limit_;
};

}  // namespace logweir::file_out
