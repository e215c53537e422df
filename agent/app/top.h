// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

namespace logweir {

// Value. `logweir top` as asked for.
struct TopRequest {
  std::string url = "http://127.0.0.1:2020";
  double interval = 1;  // seconds between two looks
  bool once = false;
};

// The live table of a running agent: on a terminal drawn anew in its place until q or a signal; else, or with `once`,
// as lines of text once, from two looks an interval apart.
int run_top(const TopRequest& request, std::ostream& out, std::ostream& err);

}  // namespace logweir
