// SPDX-License-Identifier: Apache-2.0
#include "state/sql.h"

namespace logweir {

void bind_text(sqlite3_stmt* statement, int at, std::string_view text) {
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

void bind_blob(sqlite3_stmt* statement, int at, std::string_view bytes) {
  if (bytes.empty()) {
    sqlite3_bind_zeroblob(statement, at, 0);
  } else {
    sqlite3_bind_blob(statement, at, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
  }
}

std::string column(sqlite3_stmt* statement, int at) {
  const void* bytes = sqlite3_column_blob(statement, at);
  const int size = sqlite3_column_bytes(statement, at);
  return bytes == nullptr ? std::string()
                          : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Status sql_failure(sqlite3* db, const std::string& path, int code) {
  const int error = db != nullptr ? sqlite3_system_errno(db) : 0;
  switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Code::corrupt, path + " is damaged: " + sqlite3_errstr(code)};
    case SQLITE_ERROR:  // our fixed statements fail when tables are missing or odd
      return {Code::corrupt, path + " is damaged: " + sqlite3_errmsg(db)};
    case SQLITE_FULL:
      return {Code::full, path + ": the disk is full"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::busy, path + " is locked by another program"};
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
      if (error != 0) return Status::from_errno(error, path);
      if ((code & 0xFF) == SQLITE_READONLY) return {Code::denied, path + ": it is read-only"};
      break;
    default:
      break;
  }
  return {Code::io, path + ": " + sqlite3_errstr(code)};
}

}  // namespace logweir
