// SPDX-License-Identifier: Apache-2.0
#include "state/letter_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"

namespace logweir {

namespace {

constexpr std::int64_t kApplicationId = 0x6C77646C;  // "lwdl"
constexpr int kBusyPatience = 2000;                  // ms
constexpr std::size_t kRowBytes = 128;               // about what a row needs beside its texts

// The totals are kept by triggers, so that every process that changes letters keeps them right.
constexpr const char* kSchema =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE letters(number INTEGER PRIMARY KEY AUTOINCREMENT, given_up INTEGER NOT NULL, time INTEGER NOT NULL,"
    " source INTEGER NOT NULL, position INTEGER NOT NULL, output BLOB NOT NULL, reason BLOB NOT NULL,"
    " answer BLOB NOT NULL, tag BLOB NOT NULL, text_key BLOB NOT NULL, text INTEGER NOT NULL, size INTEGER NOT NULL,"
    " replay BLOB, body BLOB NOT NULL) STRICT;"
    "CREATE INDEX marked ON letters(number) WHERE replay IS NOT NULL;"
    "CREATE TABLE totals(letters INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;"
    "INSERT INTO totals VALUES(0, 0);"
    "CREATE TRIGGER came AFTER INSERT ON letters BEGIN"
    " UPDATE totals SET letters = letters + 1, bytes = bytes + new.size; END;"
    "CREATE TRIGGER went AFTER DELETE ON letters BEGIN"
    " UPDATE totals SET letters = letters - 1, bytes = bytes - old.size; END;"
    "PRAGMA application_id = 1819763820;"
    "PRAGMA user_version = 1;"
    "COMMIT;";
static_assert(kApplicationId == 1819763820);

constexpr const char* kColumns =
    "SELECT number, given_up, time, source, position, output, reason, answer, tag, text_key, text, replay, body "
    "FROM letters ";

Letter letter_of(sqlite3_stmt* row) {
  const auto number = [row](int at) { return static_cast<std::uint64_t>(sqlite3_column_int64(row, at)); };
  Letter letter;
  letter.number = number(0);
  letter.given_up = sqlite3_column_int64(row, 1);
  letter.time = sqlite3_column_int64(row, 2);
  letter.source = number(3);
  letter.position = number(4);
  letter.output = column(row, 5);
  letter.reason = column(row, 6);
  letter.answer = column(row, 7);
  letter.tag = column(row, 8);
  letter.text_key = column(row, 9);
  letter.text = number(10) != 0;
  letter.replay = column(row, 11);
  letter.body = column(row, 12);
  return letter;
}

}  // namespace

std::uint64_t weight_of(const Letter& letter) {
  return letter.body.size() + letter.answer.size() + letter.tag.size() + letter.text_key.size() + letter.output.size() +
         letter.reason.size() + kRowBytes;
}

Result<std::unique_ptr<LetterFile>> LetterFile::open(const std::string& path, bool make) {
  auto file = std::make_unique<LetterFile>(path);
  Status status = file->connect(make);
  if (status.ok()) status = file->check();
  if (!status.ok()) return status;
  return file;
}

Status LetterFile::connect(bool make) {
  struct stat info{};
  const bool missing = ::stat(path_.c_str(), &info) != 0;
  if (missing && errno != ENOENT) return Status::from_errno(errno, "open " + path_);
  if (missing && !make) return {Code::not_found, path_ + " does not exist"};
  if (missing) {
    const Fd file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return Status::from_errno(errno, "make " + path_);
  }
  sqlite3* db = nullptr;
  const int code =
      sqlite3_open_v2(path_.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) return failure(code);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, static_cast<int>(kLongestBody + (1 << 20)));
  sqlite3_busy_timeout(db, kBusyPatience);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return run(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY;"
      "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL;");
}

Status LetterFile::check() {
  const auto application = number("PRAGMA application_id");
  if (!application.ok()) return application.status();
  const auto version = number("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (application.value() == 0 && version.value() == 0) return create();
  if (application.value() != kApplicationId) {
    return {Code::corrupt, path_ + " is not a file of dead letters of logweir"};
  }
  if (version.value() <= kVersion) return {};
  return {Code::invalid, path_ + " was written by a newer logweir (its version is " + std::to_string(version.value()) +
                             ", this one reads up to " + std::to_string(kVersion) + "): use that one"};
}

Status LetterFile::create() {
  Status status = run(kSchema);
  if (!status.ok() && sqlite3_get_autocommit(db_.get()) == 0) (void)run("ROLLBACK");
  return status;
}

Status LetterFile::add(std::span<const Letter> letters, const LetterLimits& limits, Nanos wall,
                       std::uint64_t& evicted) {
  evicted = 0;
  Status status = run("BEGIN IMMEDIATE");
  if (status.ok()) status = insert(letters);
  if (status.ok()) status = evict(limits, wall, evicted);
  if (status.ok()) status = run("COMMIT");
  if (!status.ok() && sqlite3_get_autocommit(db_.get()) == 0) (void)run("ROLLBACK");
  return status;
}

Status LetterFile::insert(std::span<const Letter> letters) {
  if (letters.empty()) return {};
  auto prepared = prepare(
      "INSERT INTO letters(given_up, time, source, position, output, reason, answer, tag, text_key, text, size, body) "
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  if (!prepared.ok()) return prepared.status();
  sqlite3_stmt* row = prepared.value().get();
  for (const Letter& letter : letters) {
    sqlite3_bind_int64(row, 1, letter.given_up);
    sqlite3_bind_int64(row, 2, letter.time);
    sqlite3_bind_int64(row, 3, static_cast<sqlite3_int64>(letter.source));
    sqlite3_bind_int64(row, 4, static_cast<sqlite3_int64>(letter.position));
    bind_blob(row, 5, letter.output);
    bind_blob(row, 6, letter.reason);
    bind_blob(row, 7, letter.answer);
    bind_blob(row, 8, letter.tag);
    bind_blob(row, 9, letter.text_key);
    sqlite3_bind_int(row, 10, letter.text ? 1 : 0);
    sqlite3_bind_int64(row, 11, static_cast<sqlite3_int64>(weight_of(letter)));
    bind_blob(row, 12, letter.body);
    const int code = sqlite3_step(row);
    sqlite3_reset(row);
    if (code != SQLITE_DONE) return failure(code);
  }
  return {};
}

Status LetterFile::evict(const LetterLimits& limits, Nanos wall, std::uint64_t& evicted) {
  auto oldest = prepare("SELECT number, given_up FROM letters ORDER BY number LIMIT 1");
  if (!oldest.ok()) return oldest.status();
  sqlite3_stmt* row = oldest.value().get();
  for (;;) {
    const auto have = totals();
    if (!have.ok()) return have.status();
    const int code = sqlite3_step(row);
    const auto number = static_cast<std::uint64_t>(sqlite3_column_int64(row, 0));
    const Nanos given_up = sqlite3_column_int64(row, 1);
    sqlite3_reset(row);
    if (code == SQLITE_DONE) return {};
    if (code != SQLITE_ROW) return failure(code);
    const bool old = limits.age >= 0 && given_up < wall - limits.age;
    if (!old && have.value().bytes <= limits.bytes && have.value().letters <= limits.letters) return {};
    if (auto gone = drop(number); !gone.ok()) return gone.status();
    ++evicted;
  }
}

Result<std::vector<Letter>> LetterFile::read(std::uint64_t after, std::size_t most, std::size_t most_bytes,
                                             bool marked) {
  const std::string sql = std::string(kColumns) + "WHERE number > ?1" + (marked ? " AND replay IS NOT NULL" : "") +
                          " ORDER BY number LIMIT ?2";
  auto prepared = prepare(sql.c_str());
  if (!prepared.ok()) return prepared.status();
  sqlite3_stmt* row = prepared.value().get();
  sqlite3_bind_int64(row, 1, static_cast<sqlite3_int64>(after));
  sqlite3_bind_int64(row, 2, static_cast<sqlite3_int64>(most));
  std::vector<Letter> letters;
  std::size_t bytes = 0;
  int code = SQLITE_DONE;
  while (bytes < most_bytes && (code = sqlite3_step(row)) == SQLITE_ROW) {
    letters.push_back(letter_of(row));
    bytes += letters.back().body.size();
  }
  if (code != SQLITE_DONE && code != SQLITE_ROW) return failure(code);
  return letters;
}

Result<Letter> LetterFile::find(std::uint64_t number) {
  auto prepared = prepare((std::string(kColumns) + "WHERE number = ?1").c_str());
  if (!prepared.ok()) return prepared.status();
  sqlite3_bind_int64(prepared.value().get(), 1, static_cast<sqlite3_int64>(number));
  const int code = sqlite3_step(prepared.value().get());
  if (code == SQLITE_ROW) return letter_of(prepared.value().get());
  if (code != SQLITE_DONE) return failure(code);
  return Status(Code::not_found, "there is no dead letter " + std::to_string(number));
}

Result<std::uint64_t> LetterFile::change(const SqlStatement& statement) {
  const int code = sqlite3_step(statement.get());
  if (code != SQLITE_DONE) return failure(code);
  return static_cast<std::uint64_t>(sqlite3_changes(db_.get()));
}

Result<std::uint64_t> LetterFile::mark(std::uint64_t number, std::string_view output) {
  auto prepared =
      prepare(number == 0 ? "UPDATE letters SET replay = CASE WHEN ?2 = x'' THEN output ELSE ?2 END WHERE number > ?1"
                          : "UPDATE letters SET replay = CASE WHEN ?2 = x'' THEN output ELSE ?2 END WHERE number = ?1");
  if (!prepared.ok()) return prepared.status();
  sqlite3_bind_int64(prepared.value().get(), 1, static_cast<sqlite3_int64>(number));
  bind_blob(prepared.value().get(), 2, output);
  return change(prepared.value());
}

Result<std::uint64_t> LetterFile::unmark(std::uint64_t number) {
  auto prepared = prepare("UPDATE letters SET replay = NULL WHERE number = ?1");
  if (!prepared.ok()) return prepared.status();
  sqlite3_bind_int64(prepared.value().get(), 1, static_cast<sqlite3_int64>(number));
  return change(prepared.value());
}

Result<std::uint64_t> LetterFile::drop(std::uint64_t number) {
  auto prepared =
      prepare(number == 0 ? "DELETE FROM letters WHERE number > ?1" : "DELETE FROM letters WHERE number = ?1");
  if (!prepared.ok()) return prepared.status();
  sqlite3_bind_int64(prepared.value().get(), 1, static_cast<sqlite3_int64>(number));
  return change(prepared.value());
}

Result<LetterTotals> LetterFile::totals() {
  auto prepared = prepare("SELECT letters, bytes FROM totals");
  if (!prepared.ok()) return prepared.status();
  const int code = sqlite3_step(prepared.value().get());
  if (code != SQLITE_ROW) return code == SQLITE_DONE ? Status(Code::corrupt, path_ + " is damaged") : failure(code);
  return LetterTotals{static_cast<std::uint64_t>(sqlite3_column_int64(prepared.value().get(), 0)),
                      static_cast<std::uint64_t>(sqlite3_column_int64(prepared.value().get(), 1))};
}

Result<std::int64_t> LetterFile::number(const char* sql) {
  const auto prepared = prepare(sql);
  if (!prepared.ok()) return prepared.status();
  const int code = sqlite3_step(prepared.value().get());
  if (code != SQLITE_ROW) return failure(code);
  return static_cast<std::int64_t>(sqlite3_column_int64(prepared.value().get(), 0));
}

Status LetterFile::run(const char* sql) {
  const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : failure(code);
}

Result<SqlStatement> LetterFile::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(db_.get(), sql, -1, &statement, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return SqlStatement(statement);
}

}  // namespace logweir
