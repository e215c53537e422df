// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "codec/encode.h"
#include "loop/mailbox.h"
#include "record/batch.h"
#include "state/dead_letters.h"

namespace logweir {

// Value. Why records are given up; views live as long as the call.
struct Cause {
  std::string_view output;  // or the component that could not take them
  std::string_view reason;  // a word
  std::string_view answer;  // the peer's, or what was thrown
};

// Resource, one per worker, on its thread. Brings records to the store of dead letters, a piece at a time, so that what
// is on its way there stays in the lane's budget and not in a queue of its own.
class Burial {
 public:
  // How many of the part's records, from its first, are on disk; the others can't be.
  using Done = std::function<void(std::uint32_t stored)>;

  // The store outlives this.
  Burial(Loop& loop, Pool& pool, DeadLetters& store);
  Burial(const Burial&) = delete;
  Burial& operator=(const Burial&) = delete;
  ~Burial();

  // The caller keeps the part's batch until `done`, which is called later, from the loop.
  void bury(const Part& part, const Cause& cause, Done done);
  // Forgets all that is under way; no `done` is called any more.
  void abandon();

 private:
  struct Grave {
    Part part;
    std::string output, reason, answer;
    Done done;
    std::uint32_t stored = 0;
  };
  struct Answer {
    bool stored;
  };
  struct Guard;  // shared with the store's thread, which may answer after our end

  void next();
  void answered(bool stored);
  [[nodiscard]] std::vector<Letter> letters_of(const Grave& grave);
  [[nodiscard]] Letter letter_of(const Grave& grave, const Part& one);
  [[nodiscard]] bool encode(const Part& one, std::string& json);

  Loop& loop_;
  DeadLetters& store_;
  Encoder encoder_;
  Pieces pieces_;
  std::deque<Grave> graves_;
  std::uint32_t offered_ = 0;  // records of the front one that the store has and did not answer for
  Mailbox<Answer> mail_;
  std::shared_ptr<Guard> guard_;
};

}  // namespace logweir
