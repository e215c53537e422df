// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "spool/format.h"

namespace logweir {

// Where spools lie:
//
//   <root>/<name>/<shard>/                      root: <state directory>/spool, or where the conf says
//   name := readable "-" hash of the instance "-" hash of the fingerprint     16 hex digits each
//
// readable: what of the instance's first 40 bytes is safe in a file name. One shard per worker, by its number.

// Value. A shard found on disk.
struct SpoolPlace {
  std::string name;
  unsigned shard = 0;
  std::string directory;
};

[[nodiscard]] std::string spool_name(const SpoolIdentity& identity);
[[nodiscard]] std::string spool_directory(const std::string& state_directory, const SpoolIdentity& identity,
                                          unsigned shard);

// The same below a root of any name.
[[nodiscard]] std::string spool_directory_in(const std::string& root, const SpoolIdentity& identity, unsigned shard);

// All that there are, by name and shard; what has no such name is passed over. None when there is no directory yet.
Result<std::vector<SpoolPlace>> list_spools_in(Disk& disk, const std::string& root);
// Those below `<state directory>/spool`.
Result<std::vector<SpoolPlace>> list_spools(Disk& disk, const std::string& state_directory);

// Those of them that a worker has to empty: its own, and of the shards that an earlier, larger number of workers left,
// each goes to one of the workers there are.
[[nodiscard]] std::vector<SpoolPlace> places_of(const std::vector<SpoolPlace>& all, const SpoolIdentity& identity,
                                                unsigned worker, unsigned workers);

// Spools of the same instance for another destination. They are kept and never sent; say so (inspect_spool tells what
// they hold).
[[nodiscard]] std::vector<SpoolPlace> held_back(const std::vector<SpoolPlace>& all, const SpoolIdentity& identity);

// Deletes a shard that nobody will use again, with its state. Its writer has been put to rest and closed: where there
// is a segment left, nothing is deleted (Code::busy).
Status remove_spool(Disk& disk, const SpoolPlace& place);

}  // namespace logweir
