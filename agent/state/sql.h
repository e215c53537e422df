// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace logweir {

// Short forms for the files of this room that speak SQLite. What is bound must live until the step.
void bind_text(sqlite3_stmt* statement, int at, std::string_view text);
void bind_blob(sqlite3_stmt* statement, int at, std::string_view bytes);
std::string column(sqlite3_stmt* statement, int at);  // any type, as bytes
// What SQLite's code means for the file at `path`, as a full sentence.
Status sql_failure(sqlite3* db, const std::string& path, int code);

struct CloseConnection {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using SqlConnection = std::unique_ptr<sqlite3, CloseConnection>;
using SqlStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

}  // namespace logweir
