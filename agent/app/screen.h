// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/status.h"

namespace logweir {

// Resource, for a process of one thread. The terminal's alternate screen, drawn anew again and again; the signals that
// would end or stop the process are heard here instead. Ends with the terminal as it was.
class Screen {
 public:
  static Result<std::unique_ptr<Screen>> open();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  [[nodiscard]] std::size_t width() const;
  // Replaces what is shown; lines that have no room below are left out. Lines hold nothing but text.
  void draw(std::vector<std::string> lines);
  // Waits that long, or less when the window changed. False: q, Ctrl-C or a signal asks for the end.
  bool wait(Nanos time);

 private:
  Screen(termios before, Fd signals);
  void paint();
  bool heard_end();

  termios before_;
  Fd signals_;
  std::vector<std::string> lines_;
};

}  // namespace logweir
