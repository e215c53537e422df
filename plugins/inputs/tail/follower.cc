// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/follower.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "plugins/inputs/tail/names.h"

namespace logweir::tail {

namespace {

constexpr Nanos kLongestTurn = 2 * kMillisecond;
constexpr std::uint64_t kTurnBytes = 1024 * 1024;
constexpr std::uint64_t kBacklog = 8 * 1024 * 1024;  // a file this far behind is not live

std::size_t open_files_for(const TailOptions& options, unsigned workers) {
  const std::size_t all =
      options.max_open_files > 0 ? static_cast<std::size_t>(options.max_open_files) : default_open_files();
  return std::max<std::size_t>(1, all / workers);
}

LineRules rules_of(const TailOptions& options) {
  return {options.buffer_max_size.value, options.skip_empty_lines, options.skip_long_lines};
}

}  // namespace

Follower::Follower(InputServices& services, const TailOptions& options, Exchange& exchange,
                   std::unique_ptr<Decoding> decoding)
    : services_(services),
      options_(options),
      exchange_(exchange),
      descriptors_(open_files_for(options, services.workers)),
      reader_(services, rules_of(options), std::move(decoding), [this](Reader::ColdRead& read) { read_ended(read); }),
      generations_(services, options, [this](std::uint64_t uid) { kept(uid); }),
      rereads_(services.loop, rules_of(options)),
      turn_(services.loop, [this] { turn(); }),
      timer_(services.loop.timers(), [this] { tick(); }),
      unread_(services.metrics.gauge("logweir_input_unread_bytes", "Bytes in files that were not read yet",
                                     {{"input", services.name}})),
      open_files_(services.metrics.gauge("logweir_input_open_files", "Files kept open", {{"input", services.name}})),
      files_known_(services.metrics.gauge("logweir_input_files", "Files followed", {{"input", services.name}})),
      rotations_(services.metrics.counter("logweir_input_rotations_total",
                                          "Times a younger file took an older one's name", {{"input", services.name}})),
      truncations_(services.metrics.counter("logweir_input_truncations_total", "Times a file was found truncated",
                                            {{"input", services.name}})) {}

Follower::~Follower() = default;

// ---- what discovery says ----

void Follower::hear(Message message) {
  if (auto* appeared = std::get_if<std::vector<Appeared>>(&message)) return hear_appeared(*appeared);
  if (const auto* changed = std::get_if<Changed>(&message)) return hear_changed(changed->number);
  if (auto* moved = std::get_if<Moved>(&message)) return hear_moved(*moved);
  if (const auto* gone = std::get_if<Gone>(&message)) return hear_gone(gone->number);
  if (const auto* prune = std::get_if<Prune>(&message)) return generations_.prune(prune->uid);
  scanned_ = true;
  want_turn();
}

// Files that were found together: those that may be copies come last, when what they may be copies of is known, and are
// looked into first.
void Follower::hear_appeared(std::vector<Appeared>& together) {
  std::vector<TailFile*> all;
  const auto may_be_copy = [this](const Appeared& m) {
    return options_.compressed == Compressed::off && !m.known && m.fresh && !m.renamed && !m.base.empty() &&
           m.path != m.base;
  };
  std::vector<Appeared*> copies;  // asked before any is taken in, which empties it
  std::vector<Appeared*> others;
  for (Appeared& m : together) (may_be_copy(m) ? copies : others).push_back(&m);
  for (Appeared* m : others) all.push_back(take_in(*m, false));
  for (Appeared* m : copies) all.push_back(take_in(*m, files_.newest(m->base) != nullptr));
  for (TailFile* file : all) {
    if (file->state == TailFile::State::held) queue(*file);
  }
  for (TailFile* file : all) queue(*file);
}

TailFile* Follower::take_in(Appeared& m, bool hold) {
  TailFile* const copy = files_.by_inode(m.stat.id);
  if (copy != nullptr && copy->number == kNoFile) {  // found on our own before
    files_.number(*copy, m.number);
    copy->changed = m.changed;
    copy->path = std::move(m.path);
    copy->wanted = m.wanted;
    return copy;
  }
  TailFile& file = files_.add(m.stat.id);
  files_.number(file, m.number);
  file.path = std::move(m.path);
  if (m.stream != file.path) file.stream = std::move(m.stream);
  file.label = std::move(m.label);
  file.changed = m.changed;
  file.start = m.start;
  file.seen_size = m.stat.size;
  file.wanted = m.wanted;
  file.last_news = services_.loop.now();
  file.known = std::move(m.known);
  if (hold) {
    file.base = std::move(m.base);
    file.state = TailFile::State::held;
    watch_by_clock(file);
  } else {
    enter_stream(file);
  }
  account(file);
  return &file;
}

void Follower::hear_changed(FileNumber number) {
  TailFile* const file = files_.by_number(number);
  if (file == nullptr) return;
  file->told = true;
  if (paused_ && !file->fd) descriptors_.ensure(*file);  // it may be rotated away before we may read
  queue(*file);
}

void Follower::hear_moved(Moved& m) {
  TailFile* const file = files_.by_number(m.number);
  if (file == nullptr) return;
  const bool elsewhere = directory_of(file->path) != directory_of(m.path);
  if (file->stream.empty() && file->state != TailFile::State::held) file->stream = file->path;
  file->path = std::move(m.path);
  file->wanted = m.wanted;
  file->gone = false;
  if (elsewhere && file->uid != 0) generations_.keep(*file, nullptr);
  if (m.wanted) return queue(*file);
  mark_rotated(*file);
}

void Follower::hear_gone(FileNumber number) {
  TailFile* const file = files_.by_number(number);
  if (file == nullptr) return;
  file->gone = true;
  if (file->state == TailFile::State::held) return watch_by_clock(*file);
  mark_rotated(*file);
}

// ---- turns ----

void Follower::queue(TailFile& file) {
  using State = TailFile::State;
  if (file.state == State::keeping) return;
  if (file.state == State::held || file.state == State::fresh) {
    opening_.push_back(file.turn);
  } else if (file.before == nullptr && !file.cold) {
    (file.unread() > kBacklog ? backlog_ : live_).push_back(file.turn);
  }
  want_turn();
}

void Follower::want_turn() {
  if (!closed_) turn_.want();
}

void Follower::resume() {
  paused_ = false;
  want_turn();
}

void Follower::turn() {
  if (closed_) return;
  const Nanos until = services_.loop.now() + kLongestTurn;
  while (TailFile* file = opening_.front()) {
    file->turn.leave();
    work(*file);
    if (services_.loop.now() >= until) break;
  }
  read_some(services_.loop.now() + kLongestTurn);
  after_turn();
}

void Follower::read_some(Nanos until) {
  const std::uint64_t most = reader_.bytes() + kTurnBytes;
  bool gave_backlog = backlog_.empty();
  while (!paused_) {
    const bool used_up = reader_.bytes() >= most || services_.loop.now() >= until;
    if (used_up && gave_backlog) return;
    TailFile* file = used_up ? nullptr : live_.front();
    if (file == nullptr) {
      file = backlog_.front();
      gave_backlog = true;
    }
    if (file == nullptr) return;
    file->turn.leave();
    work(*file);
  }
}

void Follower::after_turn() {
  if (TailFile* const waiting = unpacking_.front(); waiting != nullptr && reader_.can_unpack()) queue(*waiting);
  if (!opening_.empty() || (!paused_ && (!live_.empty() || !backlog_.empty()))) {
    want_turn();
  } else {
    if (scanned_ && !std::exchange(began_, true) && services_.worker == 0) {
      services_.intake.keep_fact(kBeganKey, "1", nullptr);
    }
    maybe_finished();
  }
  if (paused_ && !timer_.armed()) timer_.arm(services_.loop.now() + kTick, kTick);
  show_levels();
}

void Follower::show_levels() {
  unread_.set(unread_bytes_);
  open_files_.set(static_cast<double>(descriptors_.count()));
  files_known_.set(static_cast<double>(files_.size()));
}

void Follower::work(TailFile& file) {
  switch (file.state) {
    case TailFile::State::held:
      return check_held(file);
    case TailFile::State::fresh:
      return open_up(file);
    case TailFile::State::keeping:
      return;
    case TailFile::State::ready:
      return read(file);
  }
}

// A file without a generation: begins one as soon as there is a byte, or goes on with what an earlier run left.
void Follower::open_up(TailFile& file) {
  const Opened opened = descriptors_.ensure(file);
  if (opened != Opened::open) return not_open(file, opened);
  file.open_failed = 0;
  file.told = false;
  if (file.changed != nullptr) file.changed->store(false);
  const auto stat = stat_fd(file.fd.get());
  const std::uint64_t size = stat ? stat->size : 0;
  if (!look_inside(file)) {
    account(file);
    return reached_end(file);
  }
  const bool from_head = file.packed || size < file.start;
  file.start = from_head ? 0 : line_start(file.code, file.fd.get(), file.start);
  file.seen_size = size;
  if (file.known) {
    const bool same = generations_.resume(file);
    services_.log.debug("{} goes on at {} of {} bytes, known as {:016x}{}", file.path, file.offset, size, file.uid,
                        same ? "" : ", but was truncated");
    if (!same) return truncated(file);
    if (file.packed) file.seen_size = file.offset;
    account(file);
    return queue(file);
  }
  if (size > 0 && generations_.begin(file)) {
    keeping_[file.uid] = file.serial;
    services_.log.debug("{} is read from {} of {} bytes, as {:016x}", file.path, file.offset, size, file.uid);
    file.at_end = false;
    if (file.packed) file.seen_size = file.offset;
    return account(file);
  }
  account(file);
  reached_end(file);
}

// What its first bytes say of it. False: there are too few of them.
bool Follower::look_inside(TailFile& file) {
  char bytes[4];
  if (options_.compressed != Compressed::off) {
    const auto kind = compression_at(options_, {bytes, read_at(file.fd.get(), bytes, sizeof bytes, 0)});
    if (!kind) return false;
    file.packed = *kind == Compression::none ? nullptr : std::make_unique<Packed>(*kind);
    if (file.packed) return true;
  }
  const auto code = code_at(options_, file.fd.get());
  if (code) file.code = *code;
  return code.has_value();
}

void Follower::kept(std::uint64_t uid) {
  const auto found = keeping_.find(uid);
  if (found == keeping_.end()) return;
  TailFile* const file = files_.by_serial(found->second);
  keeping_.erase(found);
  if (file == nullptr || file->state != TailFile::State::keeping) return;
  file->state = TailFile::State::ready;
  queue(*file);
}

// The name leads nowhere, or elsewhere: discovery tells soon what became of the file. What can't be opened is tried
// again, and holds up nobody meanwhile.
void Follower::not_open(TailFile& file, Opened why) {
  file.at_end = true;
  if (why == Opened::refused) {
    if (const auto times = open_failures_.pass(services_.loop.now())) {
      services_.log.warn("{} can't be opened: {} ({} such failures); it is tried again each second", file.path,
                         std::strerror(descriptors_.error()), *times);
    }
  }
  file.open_failed = services_.loop.now();
  if (TailFile* const waiting = Files::release(file)) queue(*waiting);
  watch_by_clock(file);
}

void Follower::read(TailFile& file) {
  if (file.before != nullptr || file.cold) return;
  const Opened opened = descriptors_.ensure(file);
  if (opened != Opened::open) return not_open(file, opened);
  file.open_failed = 0;
  file.told = false;
  file.at_end = false;
  if (file.changed != nullptr) file.changed->store(false);
  if (file.joins != 0 && !join(file)) return queue(file);
  const std::uint64_t before = file.scanned;
  const Step step = reader_.step(file);
  // A change that brought nothing may have been a truncation that was filled up to the same size.
  const bool nothing_new = step == Step::at_end && file.scanned == before;
  if (nothing_new && !file.copy && !reader_.still_same(file)) return truncated(file);
  if (file.scanned != before) file.last_news = services_.loop.now();
  handle(file, step);
}

void Follower::handle(TailFile& file, Step step) {
  account(file);
  if (step == Step::more || step == Step::at_end) generations_.refresh_fact(file, false);
  switch (step) {
    case Step::more:
    case Step::no_room:
      return queue(file);
    case Step::at_end:
      return reached_end(file);
    case Step::cold:
      return;
    case Step::busy:
      return unpacking_.push_back(file.turn);
    case Step::shrunk:
      return shrunk(file);
    case Step::replaced:
      return truncated(file);
    case Step::failed:
      if (const auto times = read_failures_.pass(services_.loop.now())) {
        services_.log.warn("{} can't be read: {} ({} such failures); it is tried again each second", file.path,
                           std::strerror(reader_.error()), *times);
      }
      file.open_failed = services_.loop.now();
      return watch_by_clock(file);
  }
}

void Follower::read_ended(Reader::ColdRead& read) {
  TailFile* const file = closed_ ? nullptr : files_.by_serial(read.serial);
  if (file == nullptr) return;
  const std::uint64_t before = file->scanned;
  const Step step = reader_.digest(*file, read);
  if (file->scanned != before) file->last_news = services_.loop.now();
  handle(*file, step);
  want_turn();
}

void Follower::account(TailFile& file) {
  const std::uint64_t now = file.gone && file.uid == 0 ? 0 : file.unread();
  unread_bytes_ += static_cast<double>(now) - static_cast<double>(std::exchange(file.counted_unread, now));
}

std::shared_ptr<Reread> Follower::reread(Source source) {
  const TailFile* const file = reader_.handing_over();
  if (file == nullptr || file->source != source || !file->fd) return nullptr;
  // A second reading takes the file's bytes as they are.
  return file->packed || file->code != TextCode::utf8 ? nullptr : rereads_.make(*file);
}

void Follower::close() {
  closed_ = true;
  timer_.cancel();
  files_.each([this](TailFile& file) {
    generations_.leave(file);
    reader_.abandon(file);
  });
  files_.clear();
  keeping_.clear();
}

}  // namespace logweir::tail
