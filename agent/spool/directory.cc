// SPDX-License-Identifier: Apache-2.0
#include "spool/directory.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/hash.h"
#include "spool/segments.h"

namespace logweir {

namespace {

constexpr std::size_t kReadable = 40;
constexpr std::size_t kHash = 17;  // a dash and 16 digits
constexpr unsigned kMostShards = 4096;

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

std::string readable(std::string_view text) {
  std::string safe(text.substr(0, kReadable));
  for (char& c : safe) {
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (!fine) c = '_';
  }
  if (safe.empty() || safe.front() == '.') safe.insert(0, "_");
  return safe;
}

// The part of a spool's name that tells the instance; nothing when it is no such name.
std::optional<std::string_view> instance_part(std::string_view name) {
  if (name.size() <= 2 * kHash || name[name.size() - kHash] != '-' || name[name.size() - 2 * kHash] != '-') return {};
  return name.substr(0, name.size() - kHash);
}

std::optional<unsigned> shard_of(const std::string& name) {
  unsigned shard = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, shard);
  if (parsed.ec != std::errc() || parsed.ptr != end || shard >= kMostShards || std::to_string(shard) != name) return {};
  return shard;
}

}  // namespace

std::string spool_name(const SpoolIdentity& identity) {
  return readable(identity.instance) + "-" + hex(hash64(identity.instance)) + "-" + hex(hash64(identity.fingerprint));
}

std::string spool_directory(const std::string& state_directory, const SpoolIdentity& identity, unsigned shard) {
  return spool_directory_in(state_directory + "/spool", identity, shard);
}

std::string spool_directory_in(const std::string& root, const SpoolIdentity& identity, unsigned shard) {
  return root + "/" + spool_name(identity) + "/" + std::to_string(shard);
}

Result<std::vector<SpoolPlace>> list_spools(Disk& disk, const std::string& state_directory) {
  return list_spools_in(disk, state_directory + "/spool");
}

Result<std::vector<SpoolPlace>> list_spools_in(Disk& disk, const std::string& root) {
  std::vector<SpoolPlace> places;
  auto names = disk.directories(root);
  if (!names.ok() && names.status().code() == Code::not_found) return places;
  if (!names.ok()) return names.status();
  for (const std::string& name : names.value()) {
    if (!instance_part(name)) continue;
    std::string directory = root;
    directory.append("/").append(name);
    auto shards = disk.directories(directory);
    if (shards.status().code() == Code::not_found) continue;  // removed meanwhile
    if (!shards.ok()) return shards.status();
    directory.push_back('/');
    for (const std::string& text : shards.value()) {
      if (const auto shard = shard_of(text)) places.push_back({name, *shard, std::string(directory).append(text)});
    }
  }
  std::sort(places.begin(), places.end(), [](const SpoolPlace& a, const SpoolPlace& b) {
    return std::tie(a.name, a.shard) < std::tie(b.name, b.shard);
  });
  return places;
}

std::vector<SpoolPlace> places_of(const std::vector<SpoolPlace>& all, const SpoolIdentity& identity, unsigned worker,
                                  unsigned workers) {
  const std::string name = spool_name(identity);
  std::vector<SpoolPlace> mine;
  for (const SpoolPlace& place : all) {
    if (place.name == name && place.shard % workers == worker) mine.push_back(place);
  }
  return mine;
}

std::vector<SpoolPlace> held_back(const std::vector<SpoolPlace>& all, const SpoolIdentity& identity) {
  const std::string name = spool_name(identity);
  std::vector<SpoolPlace> others;
  for (const SpoolPlace& place : all) {
    if (place.name != name && instance_part(place.name) == instance_part(name)) others.push_back(place);
  }
  return others;
}

Status remove_spool(Disk& disk, const SpoolPlace& place) {
  auto files = disk.files(place.directory);
  if (!files.ok()) return files.status();
  for (const Disk::Entry& file : files.value()) {
    if (first_of_name(file.name)) {
      return {Code::busy, "remove spool " + place.directory + ": there are records in it; they are kept"};
    }
  }
  for (const char* name : {kSpareName, kStateName, "lock"}) {
    Status removed = disk.remove(place.directory + "/" + name);
    if (!removed.ok() && removed.code() != Code::not_found) return removed;
  }
  if (Status removed = disk.remove(place.directory); !removed.ok()) return removed;
  (void)disk.remove(place.directory.substr(0, place.directory.rfind('/')));  // fails while there are other shards
  return {};
}

}  // namespace logweir
