// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/inputs/tail/identity.h"

namespace logweir::tail {

// Value. A line split over a rotation: its end was found in a younger generation and handed over there as a whole.
struct Joined {
  std::uint64_t uid = 0;  // the younger one
  std::uint64_t to = 0;   // the line's end there
  std::uint64_t end = 0;  // the end of the front part here
};

// What is remembered of a generation, a fact under the key of its uid (16 hex digits):
//
//   fact   := "g1 " kind " " ino " " btime " " dev " " epoch " " start " " born " " head " " mark " " joined
//             " " name " " name
//   kind   := "f" (the file itself) | "c" (a copy made by copytruncate that the rest was read from)
//   head   := size " " hash           of its first bytes
//   mark   := at " " size " " hash    of the bytes in front of position `at`; size 0: none
//   joined := uid " " to " " end       its last line went on in that generation, which has it up to `to`; here it stood
//                                      up to `end`; uid 0: none
//   name   := length ":" bytes        first its stream, then the path it was last seen under; empty when that is the
//                                      stream's (older agents wrote it out)
//
// Numbers are lower-case hex without sign or leading zeros; btime and born are nanoseconds as two's complement.
// The fact with key "began" and value "1" says that this instance has run before.
struct GenerationFact {
  std::uint64_t uid = 0;  // the key
  bool copy = false;
  Identity id;
  std::uint32_t epoch = 0;
  std::uint64_t start = 0;  // where reading began
  std::int64_t born = 0;    // when it was first seen, wall clock: orders the generations of a stream
  Head head;
  std::uint64_t mark_at = 0;
  Mark mark;
  Joined joined;
  // Of a position that another agent left: it told the inode's number alone.
  [[nodiscard]] bool is_foreign() const { return id.dev == 0 && id.btime == 0; }
  std::string stream;
  std::string path;
};

constexpr std::string_view kBeganKey = "began";
constexpr std::size_t kMostPathBytes = 8192;

std::string fact_key(std::uint64_t uid);
std::string write_fact(const GenerationFact& fact);
// Nothing when key or value is not what the grammar says.
std::optional<GenerationFact> read_fact(std::string_view key, std::string_view value);

}  // namespace logweir::tail
