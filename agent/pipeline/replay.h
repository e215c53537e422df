// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codec/json_decoder.h"
#include "loop/loop.h"
#include "pipeline/lane.h"
#include "pipeline/ledger.h"
#include "pipeline/tag_table.h"
#include "record/batch.h"
#include "state/dead_letters.h"

namespace logweir {

// Value. What became of a page of letters.
struct ReplayResult {
  std::vector<std::uint64_t> ended;    // delivered, or given up again by the lane's policy: the letter is done with
  std::vector<std::uint64_t> unknown;  // there is no such output
  bool no_room = false;                // some were left out for lack of memory
};

// Resource, one per worker, on its thread. Makes records of dead letters and gives them to the lane that shall have
// them, past inputs, filters and routes. They keep their ids and count as `recovered`.
class Replay {
 public:
  struct Setup {
    Loop& loop;
    BatchPool& batches;
    Ledger& ledger;
    TagTable& tags;
    std::function<Lane*(std::string_view output)> lane;  // nullptr: none
    DeadLetters* store = nullptr;                        // drops what ended, at once; may be null
  };
  explicit Replay(Setup setup) : setup_(std::move(setup)) {}

  // `done` is called once every record has ended; not at all when the pipeline ends before.
  void take(const std::vector<Letter>& letters, std::function<void(ReplayResult)> done);

 private:
  struct Round;
  // The letters have all in common but time, position and body. False: no room.
  bool send(std::span<const Letter> letters, Lane& lane, const std::shared_ptr<Round>& round);

  Setup setup_;
  JsonDecoder json_{std::nullopt};
};

}  // namespace logweir
