// SPDX-License-Identifier: Apache-2.0
#include "state/database.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "base/file_system.h"

namespace logweir {

namespace {

constexpr std::int64_t kApplicationId = 0x6C777374;  // "lwst"
constexpr int kLongestValue = 16 << 20;

// Sources and positions are unsigned; the file holds the same 64 bits.
constexpr const char* kSchema =
    "BEGIN;"
    "CREATE TABLE positions(source INTEGER NOT NULL, lane TEXT NOT NULL, position INTEGER NOT NULL,"
    " PRIMARY KEY(source, lane)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE facts(instance BLOB NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,"
    " PRIMARY KEY(instance, key)) STRICT, WITHOUT ROWID;"
    "PRAGMA application_id = 1819767668;"
    "PRAGMA user_version = 1;"
    "COMMIT;";
static_assert(kApplicationId == 1819767668);

// An immutable URI for a path with any characters.
std::string immutable_uri(const std::string& path) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += '%';
      uri += kDigits[static_cast<unsigned char>(c) >> 4];
      uri += kDigits[static_cast<unsigned char>(c) & 15];
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

Database::Database(std::string path) : path_(std::move(path)) {}

Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Saved& saved) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return Status::from_errno(errno, "open " + path);
    if (Status made = create(path); !made.ok()) return made;
  } else if (info.st_size == 0) {
    return Status(Code::corrupt, path + " is empty");
  }
  auto database = std::make_unique<Database>(path);
  Status status = database->connect(SQLITE_OPEN_READWRITE, path);
  // SQLite would silently be content with reading.
  if (status.ok() && ::access(path.c_str(), W_OK) != 0) status = Status::from_errno(errno, "open " + path);
  if (status.ok()) status = database->check_version();
  if (status.ok()) status = database->check_content();
  if (status.ok()) status = database->load(saved);
  if (status.ok()) status = database->prepare_all();
  if (!status.ok()) return status;
  return database;
}

Status Database::read_only(const std::string& path, Saved& saved) {
  Database database(path);
  Status status = database.connect(SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, immutable_uri(path));
  if (status.ok()) status = database.check_version();
  if (status.ok()) status = database.check_content();
  if (status.ok()) status = database.load(saved);
  return status;
}

// Under another name first, so that state.db is whole from the moment it exists.
Status Database::create(const std::string& path) {
  const std::string unfinished = path + ".new";
  for (const char* suffix : {"", "-wal", "-journal"}) ::unlink((unfinished + suffix).c_str());
  {
    // SQLite gives the log the mode of the file.
    const Fd file(::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || ::fchmod(file.get(), 0600) != 0) return Status::from_errno(errno, "make " + unfinished);
  }
  {
    Database database(unfinished);
    Status status = database.connect(SQLITE_OPEN_READWRITE, unfinished);
    // Small pages: a turn touches a few rows in as many pages, and each goes to the log whole.
    if (status.ok()) status = database.run("PRAGMA page_size = 1024; PRAGMA synchronous = FULL;");
    if (status.ok()) status = database.run(kSchema);
    if (status.ok()) status = database.use_log();
    if (!status.ok()) return status;
  }
  // The log of a state.db that is gone would be replayed into this one.
  for (const char* suffix : {"-wal", "-shm"}) ::unlink((path + suffix).c_str());
  return rename_durably(unfinished, path);
}

Status Database::connect(int flags, const std::string& name) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) return failure(code);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_busy_timeout(db, 1000);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return run(
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
      "PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY;");
}

Status Database::check_version() {
  std::int64_t application = 0;
  std::int64_t version = 0;
  if (Status s = number("PRAGMA application_id", application); !s.ok()) return s;
  if (application != kApplicationId) return {Code::corrupt, path_ + " is not a state file of logweir"};
  if (Status s = number("PRAGMA user_version", version); !s.ok()) return s;
  if (version <= kVersion) return {};
  return {Code::invalid, path_ + " was written by a newer logweir (its version is " + std::to_string(version) +
                             ", this one reads up to " + std::to_string(kVersion) +
                             "): run that one, or set service.state_dir to another directory"};
}

Status Database::check_content() {
  auto check = prepare("PRAGMA quick_check(1)");
  if (!check.ok()) return check.status();
  const int code = sqlite3_step(check.value().get());
  if (code != SQLITE_ROW) return failure(code);
  const std::string said = column(check.value().get(), 0);
  if (said != "ok") return {Code::corrupt, path_ + " is damaged: " + said};
  return {};
}

Status Database::load(Saved& saved) {
  saved = {};
  auto positions = prepare("SELECT source, lane, position FROM positions");
  if (!positions.ok()) return positions.status();
  sqlite3_stmt* row = positions.value().get();
  int code = 0;
  while ((code = sqlite3_step(row)) == SQLITE_ROW) {
    saved.positions.push_back({static_cast<std::uint64_t>(sqlite3_column_int64(row, 0)), column(row, 1),
                               static_cast<std::uint64_t>(sqlite3_column_int64(row, 2))});
  }
  if (code != SQLITE_DONE) return failure(code);
  auto facts = prepare("SELECT instance, key, value FROM facts");
  if (!facts.ok()) return facts.status();
  row = facts.value().get();
  while ((code = sqlite3_step(row)) == SQLITE_ROW) {
    saved.facts.push_back({column(row, 0), column(row, 1), column(row, 2)});
  }
  return code == SQLITE_DONE ? Status() : failure(code);
}

Status Database::prepare_all() {
  if (Status s = use_log(); !s.ok()) return s;
  if (Status s = run("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000;"); !s.ok()) return s;
  struct Prepared {
    Statement& into;
    const char* sql;
  };
  const Prepared all[] = {
      {put_position_,
       "INSERT INTO positions VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE SET position = excluded.position"},
      {drop_source_, "DELETE FROM positions WHERE source = ?1"},
      {put_fact_, "INSERT INTO facts VALUES(?1, ?2, ?3) ON CONFLICT DO UPDATE SET value = excluded.value"},
      {drop_fact_, "DELETE FROM facts WHERE instance = ?1 AND key = ?2"},
  };
  for (const auto& [into, sql] : all) {
    auto statement = prepare(sql);
    if (!statement.ok()) return statement.status();
    into = std::move(statement).value();
  }
  return {};
}

Status Database::use_log() {
  auto mode = prepare("PRAGMA journal_mode = WAL");
  if (!mode.ok()) return mode.status();
  const int code = sqlite3_step(mode.value().get());
  if (code != SQLITE_ROW) return failure(code);
  if (column(mode.value().get(), 0) == "wal") return {};
  return {Code::io, path_ + ": its directory does not allow a write-ahead log"};
}

Status Database::write(const Turn& turn) {
  if (turn.empty()) return {};
  Status status = run("BEGIN IMMEDIATE");
  if (status.ok()) status = write_rows(turn);
  if (status.ok()) status = run("COMMIT");
  if (!status.ok() && sqlite3_get_autocommit(db_.get()) == 0) (void)run("ROLLBACK");
  return status;
}

Status Database::write_rows(const Turn& turn) {
  for (const std::uint64_t source : turn.dropped) {
    sqlite3_bind_int64(drop_source_.get(), 1, static_cast<sqlite3_int64>(source));
    if (Status s = step(drop_source_); !s.ok()) return s;
  }
  for (const Turn::Position& change : turn.positions) {
    sqlite3_bind_int64(put_position_.get(), 1, static_cast<sqlite3_int64>(change.source));
    bind_text(put_position_.get(), 2, *change.lane);
    sqlite3_bind_int64(put_position_.get(), 3, static_cast<sqlite3_int64>(change.position));
    if (Status s = step(put_position_); !s.ok()) return s;
  }
  for (const Turn::Fact& change : turn.facts) {
    const Statement& statement = change.gone ? drop_fact_ : put_fact_;
    bind_blob(statement.get(), 1, *change.instance);
    bind_blob(statement.get(), 2, change.key);
    if (!change.gone) bind_blob(statement.get(), 3, change.value);
    if (Status s = step(statement); !s.ok()) return s;
  }
  return {};
}

// Straight to the log's file: SQLite itself has no call for it. The first sync of a new log also syncs the directory.
Status Database::sync() {
  sqlite3_file* log = nullptr;
  const int found = sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (found != SQLITE_OK) return failure(found);
  if (log == nullptr || log->pMethods == nullptr) return {};  // nothing was written yet
  errno = 0;
  if (log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) == SQLITE_OK) return {};
  return Status::from_errno(errno != 0 ? errno : EIO, "sync " + path_ + "-wal");
}

bool Database::moved() const {
  int moved = 0;
  return sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

Status Database::run(const char* sql) {
  const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : failure(code);
}

Result<Database::Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return Statement(statement);
}

Status Database::number(const char* sql, std::int64_t& value) {
  auto statement = prepare(sql);
  if (!statement.ok()) return statement.status();
  const int code = sqlite3_step(statement.value().get());
  if (code != SQLITE_ROW) return failure(code);
  value = sqlite3_column_int64(statement.value().get(), 0);
  return {};
}

Status Database::step(const Statement& statement) {
  const int code = sqlite3_step(statement.get());
  sqlite3_reset(statement.get());
  return code == SQLITE_DONE ? Status() : failure(code);
}

Status Database::failure(int code) const { return sql_failure(db_.get(), path_, code); }

}  // namespace logweir
