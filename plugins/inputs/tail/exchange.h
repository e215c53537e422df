// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "loop/mailbox.h"
#include "plugins/inputs/tail/fact.h"
#include "plugins/inputs/tail/identity.h"

namespace logweir::tail {

// Names a file between discovery and a worker; used again only after the worker has let go of it.
using FileNumber = std::uint32_t;
constexpr FileNumber kNoFile = UINT32_MAX;

// What discovery says to the worker that owns a file, in this order: appeared (with all others of its stream that were
// found in the same look), then any number of changed, moved and gone (a gone file may come back as moved), until the
// worker lets go.
struct Appeared {
  FileNumber number = kNoFile;
  std::string path;
  std::string stream;  // files of one stream are read one after the other, and their records go by its name
  std::string label;   // the name its records go by, if that is another one
  std::string base;    // the file whose name this one's extends, "" if none: this may be a copy of it
  FileStat stat;
  std::uint64_t start = 0;                // where a file that nothing is known of is read from
  std::unique_ptr<GenerationFact> known;  // from an earlier run
  bool wanted = true;                     // false: found by its inode under a name that is not asked for
  bool fresh = true;                      // came while we run, or was changed just now: a copy may be being made
  bool renamed = false;                   // had the stream's name before, so that it is no copy
  std::atomic<bool>* changed = nullptr;   // set while a `Changed` is on its way; the worker clears it before it looks
};
struct Changed {
  FileNumber number;
};
struct Moved {
  FileNumber number;
  std::string path;
  bool wanted;
};
struct Gone {  // no name leads to it any more
  FileNumber number;
};
struct Scanned {};  // the first look at all patterns is done
struct Prune {      // a generation that no file was found for
  std::uint64_t uid;
};
using Message = std::variant<std::vector<Appeared>, Changed, Moved, Gone, Scanned, Prune>;

// Resource. The two ways between discovery, on the control loop, and the workers. What is said to a worker that has
// not joined yet waits for it; what is said to one that has left is dropped.
class Exchange {
 public:
  explicit Exchange(unsigned workers) : desks_(std::make_unique<Desk[]>(workers)), reading_(workers) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Discovery's side.
  void send(unsigned worker, Message message);
  // Numbers that workers let go of since the last call.
  std::vector<FileNumber> take_let_go();
  void hear_let_go(Wakeup* wakeup);

  // A worker's side, on its thread.
  void join(unsigned worker, Mailbox<Message>& box);
  void leave(unsigned worker);
  void let_go(FileNumber number);
  // This worker has read all there is; true for the last one.
  bool read_all() { return reading_.fetch_sub(1) == 1; }

 private:
  struct Desk {
    std::mutex mutex;
    Mailbox<Message>* box = nullptr;  // the worker's, while it has joined
    bool left = false;
    std::vector<Message> early;
  };
  const std::unique_ptr<Desk[]> desks_;  // by worker
  std::mutex mutex_;
  std::vector<FileNumber> let_go_;
  Wakeup* wakeup_ = nullptr;  // discovery's
  std::atomic<unsigned> reading_;
};

}  // namespace logweir::tail
