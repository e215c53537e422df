// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "app/plan.h"

namespace logweir {

// Value. `logweir dlq VERB [NUMBER ...] [--output NAME] [--all]`.
struct DlqRequest {
  std::string verb = {};                    // list, show, replay or drop
  std::vector<std::uint64_t> numbers = {};  // none: all (drop then wants `all`)
  std::string output = {};                  // of replay: another output than the one the letters were meant for
  bool all = false;
};

// Looks into the dead letters of the conf's state directory, beside a running agent or without one. Returns the exit
// code: 0 done, 1 there is no such letter or the store can't be read, 64 bad usage.
int run_dlq(const DlqRequest& request, const Plan& plan, std::ostream& out, std::ostream& err);

// A letter as a line of JSON.
struct Letter;
std::string letter_json(const Letter& letter);

}  // namespace logweir
