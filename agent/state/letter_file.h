// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "state/sql.h"

namespace logweir {

// Value. A record that was given up, and what it takes to send it again under the same id.
struct Letter {
  std::uint64_t number = 0;  // the file's; later ones are larger
  Nanos given_up = 0;        // wall clock
  Nanos time = 0;            // the record's
  std::uint64_t source = 0;  // with `position` what the record's id is made of
  std::uint64_t position = 0;
  std::string output;  // the instance's name
  std::string reason;
  std::string answer;  // the peer's, cut
  std::string tag;
  std::string text_key;
  bool text = false;  // `body` is the raw line, which goes by the name `text_key`; else one JSON object
  std::string body;
  std::string replay;  // the output that shall have it again; empty: nobody asked
};
std::uint64_t weight_of(const Letter& letter);  // what it counts against the limit of bytes

// Value. The bounds of the store; beyond them the oldest letters go.
struct LetterLimits {
  std::uint64_t bytes = 64 << 20;
  std::uint64_t letters = 100'000;
  Nanos age = -1;  // -1: none
};

struct LetterTotals {
  std::uint64_t letters = 0;
  std::uint64_t bytes = 0;
};

// Resource. One connection to the file of dead letters; one thread at a time. Several processes may have it open (the
// agent, and `logweir dlq`): each change is a short transaction with a rollback journal, synced when it returns.
class LetterFile {
 public:
  static constexpr int kVersion = 1;
  static constexpr std::size_t kLongestBody = 16 << 20;
  static constexpr std::size_t kLongestAnswer = 4096;

  // Made when it is missing and `make`; Code::not_found when it is missing. Code::corrupt: damaged, or somebody else's;
  // Code::invalid: written by a newer agent; Code::busy: another process holds it for long.
  static Result<std::unique_ptr<LetterFile>> open(const std::string& path, bool make);
  explicit LetterFile(std::string path) : path_(std::move(path)) {}
  LetterFile(const LetterFile&) = delete;
  LetterFile& operator=(const LetterFile&) = delete;

  // All or none; then what the limits ask goes, oldest first: `evicted` says how many.
  Status add(std::span<const Letter> letters, const LetterLimits& limits, Nanos wall, std::uint64_t& evicted);
  // Letters behind `after`, oldest first, until `most` or about `most_bytes`; `marked`: only those to be replayed.
  Result<std::vector<Letter>> read(std::uint64_t after, std::size_t most, std::size_t most_bytes, bool marked = false);
  Result<Letter> find(std::uint64_t number);  // Code::not_found
  // Asks for a replay to `output`, or to the output each came from when that is empty; unmarks with `clear`. Of all, or
  // of `number` alone when it is not 0. Returns how many.
  Result<std::uint64_t> mark(std::uint64_t number, std::string_view output);
  Result<std::uint64_t> unmark(std::uint64_t number);
  Result<std::uint64_t> drop(std::uint64_t number);  // 0: all
  Result<LetterTotals> totals();

 private:
  Status connect(bool make);
  Status check();
  Status create();
  Status run(const char* sql);
  Result<SqlStatement> prepare(const char* sql);
  Result<std::int64_t> number(const char* sql);
  Result<std::uint64_t> change(const SqlStatement& statement);
  Status insert(std::span<const Letter> letters);
  Status evict(const LetterLimits& limits, Nanos wall, std::uint64_t& evicted);
  [[nodiscard]] Status failure(int code) const { return sql_failure(db_.get(), path_, code); }

  std::string path_;
  SqlConnection db_;
};

}  // namespace logweir
