// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tcp/unfinished.h"

#include "plugins/inputs/tcp/framer.h"

namespace logweir::tcp_in {

namespace {

constexpr std::uint64_t kRoomAtATime = 256 << 10;

}  // namespace

void Unfinished::Place::hold(std::uint64_t bytes, bool anew) {
  const bool in = out_.empty();
  if (!in) all_.all_.splice(all_.all_.end(), out_, at_);
  if (in && anew) all_.all_.splice(all_.all_.end(), all_.all_, at_);
  all_.bytes_ += bytes - bytes_;
  bytes_ = bytes;
}

void Unfinished::Place::leave() {
  if (!out_.empty()) return;
  out_.splice(out_.end(), all_.all_, at_);
  all_.bytes_ -= bytes_;
  bytes_ = 0;
}

void Unfinished::keep_bound() {
  while (bytes_ > most_) hand_over_oldest();
}

void Unfinished::make_room() {
  const std::uint64_t before = bytes_;
  while (bytes_ > most_ / 4 && before - bytes_ < kRoomAtATime) hand_over_oldest();
}

void Unfinished::hand_over_oldest() {
  Framer& oldest = *all_.front();
  cut_(oldest);
  oldest.hand_over();
}

}  // namespace logweir::tcp_in
