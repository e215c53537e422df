// SPDX-License-Identifier: Apache-2.0
#include "plugins/outputs/file/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace logweir::file_out {

namespace {

constexpr std::size_t kLongest = 200;  // NAME_MAX is 255; a rotated name is longer by 17 and more
constexpr std::string_view kStampShape = "00000000T000000Z";

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void name_for_tag(std::string_view tag, std::string& name) {
  name.assign(tag.substr(0, kLongest));
  for (char& c : name) {
    if (c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  }
  for (std::size_t i = 0; i < name.size() && name[i] == '.'; ++i) name[i] = '_';
  if (name.empty()) name = "_";
  if (tag.size() > kLongest) fmt::format_to(std::back_inserter(name), "-{:016x}", fnv1a(tag));
}

std::string rotated_name(std::string_view path, Nanos wall, int attempt) {
  const std::time_t seconds = wall / kSecond;
  std::tm t{};
  gmtime_r(&seconds, &t);
  std::string name = fmt::format("{}.{:04}{:02}{:02}T{:02}{:02}{:02}Z", path, t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                                 t.tm_hour, t.tm_min, t.tm_sec);
  if (attempt > 0) fmt::format_to(std::back_inserter(name), ".{:03}", attempt);
  return name;
}

bool is_rotated_name(std::string_view name, std::string_view base) {
  if (!name.starts_with(base)) return false;
  name.remove_prefix(base.size());
  if (!name.starts_with('.') || name.size() < 1 + kStampShape.size()) return false;
  const std::string_view stamp = name.substr(1, kStampShape.size());
  for (std::size_t i = 0; i < stamp.size(); ++i) {
    if (kStampShape[i] == '0' ? !is_digit(stamp[i]) : stamp[i] != kStampShape[i]) return false;
  }
  const std::string_view rest = name.substr(1 + kStampShape.size());
  return rest.empty() || (rest.size() == 4 && rest[0] == '.' && std::all_of(rest.begin() + 1, rest.end(), is_digit));
}

}  // namespace logweir::file_out
