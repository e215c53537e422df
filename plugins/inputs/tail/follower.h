// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "loop/timer_wheel.h"
#include "metrics/metrics.h"
#include "plugin/input.h"
#include "plugins/inputs/tail/copies.h"
#include "plugins/inputs/tail/descriptors.h"
#include "plugins/inputs/tail/exchange.h"
#include "plugins/inputs/tail/files.h"
#include "plugins/inputs/tail/generations.h"
#include "plugins/inputs/tail/options.h"
#include "plugins/inputs/tail/reader.h"
#include "plugins/inputs/tail/rereads.h"

namespace logweir::tail {

// Resource, one per worker. Follows the files that discovery tells of: decides what is read next and what a rotation,
// a truncation or a deletion means. The states are drawn in file.h.
//
// Work comes in turns of bounded bytes and time. A turn takes files from three queues: those to be opened or looked
// into (also while paused, so that a rotated file's descriptor is had in time), live ones, and those far behind; the
// last get one window a turn at least. What only the clock can tell (late writes to a file no event speaks of any
// more, the end of rotate_wait, of a hold) is looked at each kTick, while there is any.
class Follower {
 public:
  // `decoding`: null when all files are UTF-8.
  Follower(InputServices& services, const TailOptions& options, Exchange& exchange, std::unique_ptr<Decoding> decoding);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  void hear(Message message);
  void pause() { paused_ = true; }
  void resume();
  void close();
  std::shared_ptr<Reread> reread(Source source);

 private:
  static constexpr Nanos kTick = 100 * kMillisecond;

  // What discovery says.
  void hear_appeared(std::vector<Appeared>& together);
  TailFile* take_in(Appeared& message, bool hold);
  void hear_changed(FileNumber number);
  void hear_moved(Moved& message);
  void hear_gone(FileNumber number);
  // Turns.
  void queue(TailFile& file);
  void want_turn();
  void turn();
  void read_some(Nanos until);
  void after_turn();
  void show_levels();
  void work(TailFile& file);
  void open_up(TailFile& file);
  bool look_inside(TailFile& file);
  void read(TailFile& file);
  void handle(TailFile& file, Step step);
  void read_ended(Reader::ColdRead& read);
  void kept(std::uint64_t uid);
  // What becomes of files.
  void enter_stream(TailFile& file);
  void reached_end(TailFile& file);
  [[nodiscard]] bool is_quiet(const TailFile& file) const;
  void release_next(TailFile& file);
  static const TailFile* joiner_of(const TailFile& file);
  void take_as_joined(TailFile& file, const TailFile& joiner);
  [[nodiscard]] std::vector<TailFile*> fronts_of(const TailFile& file) const;
  bool join(TailFile& file);
  bool join_is_settled(TailFile& file);
  void mark_rotated(TailFile& file);
  void shrunk(TailFile& file);
  void truncated(TailFile& file);
  void lose(TailFile& file);
  void check_held(TailFile& file);
  void release_held(TailFile& file);
  void release_between(TailFile& original);
  void not_open(TailFile& file, Opened why);
  std::vector<TailFile*> held_for(const TailFile& original);
  std::vector<TailFile*> originals_of(const TailFile& held);
  TailFile* held_copy_of(const TailFile& file);
  TailFile* copy_of(const TailFile& file);
  void adopt_copy(TailFile& copy, TailFile& original);
  void finish(TailFile& file);
  void drop(TailFile& file);
  // The clock.
  void watch_by_clock(TailFile& file);
  void tick();
  void look_by_clock(TailFile& file, Nanos now);
  void look_at_rotated(TailFile& file, Nanos now);
  void maybe_finished();
  bool all_read();
  void look_while_paused();
  void account(TailFile& file);

  InputServices& services_;
  const TailOptions& options_;
  Exchange& exchange_;
  Files files_;
  Descriptors descriptors_;
  Reader reader_;
  Generations generations_;
  Rereads rereads_;
  List<TailFile> opening_;
  List<TailFile> live_;
  List<TailFile> backlog_;
  List<TailFile> unpacking_;  // compressed ones that wait for another to be done
  List<TailFile> lingering_;
  std::unordered_map<std::uint64_t, std::uint64_t> keeping_;  // serial of the file that waits for a uid's fact
  AfterTurn turn_;
  Timer timer_;
  LogLimit open_failures_;
  LogLimit read_failures_;
  Gauge& unread_;
  Gauge& open_files_;
  Gauge& files_known_;
  Counter& rotations_;
  Counter& truncations_;
  double unread_bytes_ = 0;
  bool paused_ = false;
  bool closed_ = false;
  bool scanned_ = false;
  bool began_ = false;
  bool finished_ = false;
};

}  // namespace logweir::tail
