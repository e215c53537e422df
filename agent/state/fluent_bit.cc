// SPDX-License-Identifier: Apache-2.0
#include "state/fluent_bit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/fd.h"
#include "state/sql.h"

namespace logweir {

namespace {

constexpr std::uint64_t kMostBytes = 256 << 20;
constexpr std::size_t kMostRows = 1'000'000;
constexpr std::size_t kMostPathBytes = 4096;
constexpr const char* kRows = "SELECT name, inode, offset, created FROM in_tail_files ORDER BY id";

// Resource. A folder for a moment.
class Scratch {
 public:
  explicit Scratch(const std::string& parent) : path_(parent + "/import-XXXXXX") {
    made_ = mkdtemp(path_.data()) != nullptr;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code error;
    if (made_) std::filesystem::remove_all(path_, error);
  }
  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool made_ = false;
};

Status copy(const std::string& from, const std::string& to) {
  const Fd in(open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat st{};
  if (!in || fstat(in.get(), &st) != 0) return Status::from_errno(errno, "read " + from);
  if (!S_ISREG(st.st_mode)) return {Code::invalid, from + " is no plain file"};
  if (static_cast<std::uint64_t>(st.st_size) > kMostBytes) {
    return {Code::invalid,
            fmt::format("{} has {} bytes; Fluent Bit's files of offsets are far smaller", from, st.st_size)};
  }
  const Fd out(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) return Status::from_errno(errno, "write " + to);
  char bytes[64 * 1024];
  for (std::uint64_t done = 0; done < kMostBytes;) {
    const ssize_t got = read(in.get(), bytes, sizeof bytes);
    if (got < 0) return Status::from_errno(errno, "read " + from);
    if (got == 0) break;
    if (write(out.get(), bytes, static_cast<std::size_t>(got)) != got) return Status::from_errno(errno, "write " + to);
    done += static_cast<std::uint64_t>(got);
  }
  return {};
}

Result<std::vector<FluentBitOffset>> read_rows(const std::string& path, const std::string& shown) {
  sqlite3* raw = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  const SqlConnection db(raw);
  sqlite3_stmt* prepared = nullptr;
  if (code == SQLITE_OK) code = sqlite3_exec(db.get(), "PRAGMA trusted_schema=OFF", nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db.get(), kRows, -1, &prepared, nullptr);
  const SqlStatement rows(prepared);
  std::vector<FluentBitOffset> found;
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(rows.get());
    if (code != SQLITE_ROW || found.size() == kMostRows) break;
    FluentBitOffset row;
    row.path = column(rows.get(), 0);
    const std::int64_t inode = sqlite3_column_int64(rows.get(), 1);
    const std::int64_t offset = sqlite3_column_int64(rows.get(), 2);
    row.created = sqlite3_column_int64(rows.get(), 3);
    if (row.path.empty() || row.path.size() > kMostPathBytes || inode <= 0 || offset < 0) continue;
    row.inode = static_cast<std::uint64_t>(inode);
    row.offset = static_cast<std::uint64_t>(offset);
    found.push_back(std::move(row));
  }
  if (code == SQLITE_DONE || code == SQLITE_ROW) return found;
  const std::string table = sqlite3_errmsg(db.get());
  if (table.find("in_tail_files") != std::string::npos) {
    return Status(Code::invalid, shown + " holds no offsets of Fluent Bit's tail: " + table);
  }
  return sql_failure(db.get(), shown, code);
}

}  // namespace

Result<std::vector<FluentBitOffset>> read_fluent_bit_offsets(const std::string& path, const std::string& scratch) {
  if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) return Status(Code::not_found, path + " is not there");
  const Scratch folder(scratch);
  if (!folder.made()) return Status::from_errno(errno, "make a folder for a moment in " + scratch);
  if (Status status = copy(path, folder.file("db")); !status.ok()) return status;
  const std::string log = path + "-wal";
  if (access(log.c_str(), F_OK) == 0) {
    if (Status status = copy(log, folder.file("db-wal")); !status.ok()) return status;
  }
  return read_rows(folder.file("db"), path);
}

}  // namespace logweir
