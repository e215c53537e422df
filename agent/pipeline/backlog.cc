// SPDX-License-Identifier: Apache-2.0
#include "pipeline/backlog.h"

#include <algorithm>
#include <utility>

namespace logweir {

namespace {

constexpr Nanos kTick = 50 * kMillisecond;
constexpr std::uint64_t kCalm = 2 << 20;  // fewer bytes in a tick: the input is calm
constexpr int kTries = 200;               // ticks; then what is not there is lost
constexpr std::size_t kMostGaps = 256;    // each holds a descriptor

}  // namespace

// Resource, shared by the two halves of a job. A read under way.
struct Backlog::Read {
  std::size_t lane = 0;
  std::shared_ptr<Reread> text;
  std::uint64_t at = 0;
  ChunkRef chunk;
  Reread::Got got;
};

Backlog::Backlog(Setup setup)
    : setup_(std::move(setup)), lanes_(setup_.lanes), timer_(setup_.loop.timers(), [this] { tick(); }) {}

std::uint64_t Backlog::bytes(std::size_t lane) const {
  std::uint64_t sum = 0;
  for (const Gap& gap : lanes_[lane].gaps) sum += gap.to - gap.at;
  return sum;
}

bool Backlog::leaves(Lane& lane, const Batch& batch) {
  Left& left = lanes_[lane.index()];
  if (left.gaps.empty() && !lane.may_leave()) return false;
  auto& source = *static_cast<SourceState*>(batch.claim->source);
  const auto gap = std::find_if(left.gaps.begin(), left.gaps.end(), [&](const Gap& g) { return g.source == &source; });
  if (gap != left.gaps.end()) {
    gap->to = batch.claim->end;
    return true;
  }
  const bool rejoined = std::find(left.rejoined.begin(), left.rejoined.end(), source.id) != left.rejoined.end();
  const bool behind = !left.gaps.empty() && !rejoined;
  if (!behind && !(lane.may_leave() && others_take(lane, batch))) return false;
  return open(left, lane.index(), source, batch.claim->begin, batch.claim->end);
}

bool Backlog::leaves_next(Lane& lane, const Batch& batch) {
  if (!lane.may_leave() || !others_take(lane, batch)) return false;
  Left& left = lanes_[lane.index()];
  return open(left, lane.index(), *static_cast<SourceState*>(batch.claim->source), batch.claim->end, batch.claim->end);
}

// One lane of a batch sets the pace: who reads on for nobody gains nothing.
bool Backlog::others_take(const Lane& lane, const Batch& batch) {
  const auto& lanes = setup_.router.lanes_for(*batch.origin->tag);
  return std::any_of(lanes.begin(), lanes.end(), [&](std::size_t other) {
    return other != lane.index() && !has(other) && !setup_.router.lane(other).full();
  });
}

bool Backlog::open(Left& left, std::size_t lane, SourceState& source, std::uint64_t from, std::uint64_t to) {
  if (closed_ || input_ == nullptr || left.gaps.size() >= kMostGaps) return false;
  std::shared_ptr<Reread> text = input_->reread(&source);
  if (text == nullptr) return false;
  SourceState* const second = setup_.ledger.open_second(source, lane, from);
  std::erase(left.rejoined, source.id);
  left.gaps.push_back({&source, second, std::move(text), from, to});
  if (!timer_.armed()) timer_.arm(setup_.loop.now() + kTick, kTick / 4);
  return true;
}

void Backlog::read_more(std::size_t index) {
  Left& left = lanes_[index];
  if (left.gaps.empty() || left.reading || closed_) return;
  const Lane::Appetite appetite = setup_.router.lane(index).appetite();
  if (appetite == Lane::Appetite::none || (appetite == Lane::Appetite::spool && !calm_)) return;
  while (!left.gaps.empty() && left.gaps.front().at == left.gaps.front().to) close_front(index);
  if (left.gaps.empty()) return;
  const Gap& gap = left.gaps.front();
  left.want = std::max(left.want, setup_.pool.chunk_size());
  auto read = std::make_shared<Read>();  // the second half of the job is the last to hold it
  const std::size_t most = std::min<std::uint64_t>(left.want, gap.to - gap.at);
  read->chunk = setup_.pool.take(left.hunger.use(), most);
  if (!read->chunk) return left.hunger.failed();  // the next tick asks again
  left.hunger.fed();
  read->lane = index;
  read->text = gap.text;
  read->at = gap.at;
  left.reading = true;
  Read* const lent = read.get();
  const std::span<char> space(lent->chunk->free_space(), most);
  setup_.jobs.run([lent, space] { lent->got = lent->text->read(lent->at, space); }, [this, read] { read_ended(read); });
}

void Backlog::read_ended(const std::shared_ptr<Read>& read) {
  Left& left = lanes_[read->lane];
  if (closed_) return;
  bool more = true;
  switch (read->got.found) {
    case Reread::Found::bytes:
      more = take(left, *read);
      break;
    case Reread::Found::later:
      more = false;
      break;
    case Reread::Found::gone:
      give_up(left.gaps.front());
      break;
  }
  left.tries = more ? 0 : left.tries + 1;
  if (left.tries >= kTries) {
    left.tries = 0;
    give_up(left.gaps.front());
  }
  left.reading = false;
  if (more) read_more(read->lane);
}

// False: nothing came of it, and the next tick tries again.
bool Backlog::take(Left& left, const Read& read) {
  Gap& gap = left.gaps.front();
  const std::string_view window(read.chunk->free_space(), read.got.bytes);
  BatchRef batch = setup_.batches.make();
  batch->origin = gap.text->origin();
  batch->read_at = setup_.loop.now();
  const bool last = read.at + window.size() == gap.to;
  const std::size_t used = gap.text->frame(*batch, window, read.at, last);
  if (used == 0) {
    if (window.size() < left.want) return false;  // it should be there, and is not
    left.want *= 2;
    return true;
  }
  left.want = 0;
  batch->hold(read.chunk);
  read.chunk->used += static_cast<std::uint32_t>(used);
  gap.at = read.at + used;
  setup_.deliver(batch, *gap.second, read.at, gap.at);
  return true;
}

void Backlog::give_up(Gap& gap) {
  setup_.lost(gap.to - gap.at);
  setup_.ledger.begin(*gap.second, gap.at, gap.to);
  gap.at = gap.to;
}

void Backlog::close_front(std::size_t index) {
  Left& left = lanes_[index];
  const Gap gap = std::move(left.gaps.front());
  left.gaps.pop_front();
  left.rejoined.push_back(gap.source->id);
  setup_.ledger.close_second(*gap.second);
  if (!left.gaps.empty()) return;
  left.rejoined.clear();
  setup_.caught_up(index);
}

void Backlog::tick() {
  calm_ = std::exchange(seen_, 0) < kCalm;
  bool any = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    read_more(i);
    any = any || has(i);
  }
  if (any && !closed_) timer_.arm(setup_.loop.now() + kTick, kTick / 4);
}

void Backlog::close() {
  closed_ = true;
  timer_.cancel();
  for (Left& left : lanes_) {
    for (const Gap& gap : left.gaps) {
      if (gap.source->forget && gap.to > gap.at) setup_.lost(gap.to - gap.at);
    }
    left.gaps.clear();
  }
}

}  // namespace logweir
