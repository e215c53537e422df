// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>

namespace logweir::tcp_in {

class Framer;

// Resource, one per input and worker; outlives its framers. Knows who holds a message whose end has not come, and
// bounds what all of them hold together, since peers that never end a message must not take the memory of the others:
// beyond the bound the oldest is handed over as it is.
class Unfinished {
 public:
  // Resource. One framer's place among them: in it while it holds such a message.
  class Place {
   public:
    Place(Unfinished& all, Framer& owner) : all_(all), out_{&owner}, at_(out_.begin()) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { leave(); }

    // Holds `bytes` of memory from now on. `anew`: for another message than before, so it is the youngest.
    void hold(std::uint64_t bytes, bool anew);
    void leave();

   private:
    Unfinished& all_;
    std::list<Framer*> out_;  // our one node while we are not in the list of all; so joining allocates nothing
    std::list<Framer*>::iterator at_;
    std::uint64_t bytes_ = 0;
  };

  // `most`: bytes. `cut` hears of each one that is about to be handed over.
  Unfinished(std::uint64_t most, std::function<void(const Framer&)> cut) : most_(most), cut_(std::move(cut)) {}
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  // Hands over the oldest ones until the rest is within the bound. May pause the input.
  void keep_bound();
  // The same when there was no memory to read into: the bound is then a quarter, and one read's worth at a time is
  // enough. What waits for outputs is the usual reason, and cutting messages would not help against that.
  void make_room();

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t most() const { return most_; }

 private:
  void hand_over_oldest();

  const std::uint64_t most_;
  std::function<void(const Framer&)> cut_;
  std::list<Framer*> all_;  // the oldest first
  std::uint64_t bytes_ = 0;
};

}  // namespace logweir::tcp_in
