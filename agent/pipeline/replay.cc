// SPDX-License-Identifier: Apache-2.0
#include "pipeline/replay.h"

#include <algorithm>

namespace logweir {

namespace {

bool alike(const Letter& a, const Letter& b) {
  return a.source == b.source && a.replay == b.replay && a.tag == b.tag && a.text_key == b.text_key && a.text == b.text;
}

}  // namespace

// One page; it ends with the last group that holds it.
struct Replay::Round {
  explicit Round(std::function<void(ReplayResult)> told) : done(std::move(told)) {}
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;
  ~Round() = default;
  void end_group() {
    if (--open == 0) done(std::move(result));
  }
  std::function<void(ReplayResult)> done;
  ReplayResult result;
  std::size_t open = 1;
};

void Replay::take(const std::vector<Letter>& letters, std::function<void(ReplayResult)> done) {
  const auto round = std::make_shared<Round>(std::move(done));
  for (std::size_t first = 0; first < letters.size() && !round->result.no_room;) {
    std::size_t last = first + 1;
    while (last < letters.size() && alike(letters[first], letters[last])) ++last;
    if (Lane* lane = setup_.lane(letters[first].replay)) {
      round->result.no_room = !send(std::span(letters).subspan(first, last - first), *lane, round);
    } else {
      for (std::size_t i = first; i < last; ++i) round->result.unknown.push_back(letters[i].number);
    }
    first = last;
  }
  round->end_group();
}

bool Replay::send(std::span<const Letter> letters, Lane& lane, const std::shared_ptr<Round>& round) {
  const Letter& common = letters.front();
  BatchRef batch = setup_.batches.make();
  Origin origin;
  origin.tag = setup_.tags.intern(common.tag);
  origin.text_key = common.text_key;
  batch->origin = OriginRef::make(std::move(origin));
  batch->read_at = setup_.loop.now();
  std::uint64_t end = 0;
  std::vector<std::uint64_t> numbers;
  for (const Letter& letter : letters) {
    numbers.push_back(letter.number);
    char* space = batch->scratch(std::max<std::size_t>(letter.body.size(), 1));
    if (space == nullptr) return false;
    std::copy(letter.body.begin(), letter.body.end(), space);
    Record& record = batch->records.emplace_back();
    record.time = letter.time;
    record.data = space;
    record.size = static_cast<std::uint32_t>(letter.body.size());
    record.position = letter.position;
    batch->bytes += record.size;
    end = std::max(end, letter.position);
  }
  // What the file says is JSON may be anything: what is none goes as text.
  if (!common.text) json_.decode(*batch, setup_.loop.wall());
  SourceState* source = setup_.ledger.open(0, 0, "dead letters");
  ReceiptRef receipt = setup_.ledger.begin(*source, 0, end);
  batch->claim = receipt.get();
  batch->source = common.source;
  batch->sealed = true;
  const auto count = static_cast<std::uint32_t>(batch->records.size());
  setup_.ledger.counts.recovered += count;
  ++round->open;
  round->result.ended.insert(round->result.ended.end(), numbers.begin(), numbers.end());
  lane.enqueue(batch, 0, count);
  receipt.reset();
  setup_.ledger.close(source, false, [round, store = setup_.store, numbers = std::move(numbers)] {
    if (store != nullptr) store->drop(numbers);
    round->end_group();
  });
  return true;
}

}  // namespace logweir
