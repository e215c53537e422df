// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "state/sql.h"
#include "state/table.h"

namespace logweir {

// Values. What a file held when it was opened.
struct Saved {
  std::vector<SavedPosition> positions;
  std::vector<SavedFact> facts;
};

// Resource. One connection to the state file; one thread at a time.
//
// What survives what. The file is in WAL mode with synchronous=NORMAL:
// - A commit is a write() to state.db-wal. It is in the kernel's page cache then, so it survives kill -9 of the agent,
//   but not a power cut.
// - `sync` makes the log durable: after it, all earlier commits survive a power cut too.
// - Frames of the log carry chained checksums: after a power cut SQLite replays up to the first that is torn. Before
//   it copies the log into state.db (each 1,000 pages) it syncs the log, and state.db before it reuses the log. So a
//   power cut takes back whole turns since the last sync and never damages the file.
// The connection is exclusive: no other process needs in (the directory is locked), and so there is no -shm file, whose
// memory mapping would fault when somebody cuts it short or its disk is full.
class Database {
 public:
  static constexpr int kVersion = 1;  // grows when an older agent could not read what we write

  // Opens the file, made when it is missing, checks all of it and reads it. Code::corrupt: damaged, or somebody else's
  // database; Code::invalid: written by a newer agent; Code::busy: another program holds it; else what the system said.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Saved& saved);
  // What can be read from a file in a directory that can't be written; changes nothing. Without the log's content,
  // so perhaps a little old.
  static Status read_only(const std::string& path, Saved& saved);

  explicit Database(std::string path);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();  // copies the log into the file and syncs, if the disk lets it

  Status write(const Turn& turn);  // one transaction; nothing is changed when it fails
  Status sync();
  [[nodiscard]] bool moved() const;  // the file's name is gone or means another file

 private:
  using Statement = SqlStatement;

  static Status create(const std::string& path);
  Status connect(int flags, const std::string& name);
  Status check_version();
  Status check_content();
  Status load(Saved& saved);
  Status use_log();
  Status prepare_all();
  Status run(const char* sql);
  Result<Statement> prepare(const char* sql);
  Status number(const char* sql, std::int64_t& value);
  Status step(const Statement& statement);
  Status write_rows(const Turn& turn);
  [[nodiscard]] Status failure(int code) const;

  std::string path_;
  SqlConnection db_;
  Statement put_position_;
  Statement drop_source_;
  Statement put_fact_;
  Statement drop_fact_;
};

}  // namespace logweir
