// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/status.h"
#include "plugin/outbox.h"

namespace logweir::file_out {

// When a file is followed by a new one.
struct RotateRules {
  std::uint64_t max_size = 0;  // 0: never by size
  std::int64_t keep = 0;       // rotated files of this name; 0: all
  Nanos every = 0;             // 0: never by time
  bool lines = true;           // what is written are lines: a torn last one is ended first
};

// Resource. A file that lines are added to. Others may add to it as well, or move it away.
class OutFile {
 public:
  // Opens for appending, creates (0644 less the umask), and looks whether the last line is torn.
  static Result<std::unique_ptr<OutFile>> open(std::string path, const RotateRules& rules, Nanos wall);

  // Writes all that waits in the outbox, behind the end of a torn line. On failure the outbox tells how much got
  // through; what is there of a record that did not get through as a whole is cut off again where that is safe.
  Status append(Outbox& outbox);

  // Writes the first line of an empty file; a torn one is taken back.
  Status begin_with(Pieces& line);
  [[nodiscard]] bool empty() const { return regular_ && size_ == 0; }

  // How many bytes may be added before the next rotation by size.
  [[nodiscard]] std::uint64_t room() const;
  [[nodiscard]] bool rotation_due(Nanos wall) const;
  // Renames the file, begins a new one, removes the oldest. After a failure the old one is used further.
  Status rotate(Nanos wall);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool created() const { return created_; }

  std::uint64_t last_use = 0;    // the owner's
  std::uint64_t sync_round = 0;  // the owner's: in which round of syncs it is listed

 private:
  OutFile(std::string path, const RotateRules& rules) : path_(std::move(path)), rules_(rules) {}
  Status open_now(Nanos wall);
  Status end_torn_line();
  void cut_back(std::uint64_t tried, std::uint64_t keep);
  void remove_oldest() const;
  [[nodiscard]] std::int64_t period_of(Nanos wall) const { return rules_.every > 0 ? wall / rules_.every : 0; }

  std::string path_;
  RotateRules rules_;
  Fd fd_;
  std::uint64_t size_ = 0;   // where our next byte goes, when we are the only writer
  std::int64_t period_ = 0;  // of its last byte, in multiples of rules_.every
  Nanos rotate_again_ = 0;   // after a failed rotation: not before
  bool regular_ = true;
  bool created_ = false;
  bool torn_ = false;  // the last line has no newline
};

}  // namespace logweir::file_out
