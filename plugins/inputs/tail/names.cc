// SPDX-License-Identifier: Apache-2.0
#include "plugins/inputs/tail/names.h"

#include <algorithm>
#include <array>

namespace logweir::tail {

bool is_packed(std::string_view path) {
  static constexpr std::array<std::string_view, 8> kEndings = {".gz",  ".zst", ".xz", ".bz2",
                                                               ".zip", ".lz4", ".Z",  ".tgz"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view end) { return path.ends_with(end); });
}

bool extends_name(std::string_view path, std::string_view base) {
  return path.size() > base.size() && path.starts_with(base) &&
         kSuffixStart.find(path[base.size()]) != std::string_view::npos &&
         path.find('/', base.size()) == std::string_view::npos;
}

bool is_rotated_name(std::string_view path, std::string_view base) {
  return extends_name(path, base) && path.find_first_not_of("0123456789.-_T", base.size()) == std::string_view::npos;
}

bool is_older_name(std::string_view a, std::string_view b) {
  constexpr std::size_t kMostCountDigits = 6;  // longer ones are dates, which grow
  const auto number_of = [](std::string_view name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    return last == std::string_view::npos ? name : name.substr(last + 1);
  };
  const std::string_view one = number_of(a);
  const std::string_view two = number_of(b);
  const bool counts = one.size() <= kMostCountDigits && two.size() <= kMostCountDigits;
  if (!counts) return a < b;
  return one.size() != two.size() ? one.size() > two.size() : one > two;
}

std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? std::string_view("/") : path.substr(0, slash);
}

std::string expand_tag(std::string_view tag, std::string_view path) {
  const std::size_t star = tag.find('*');
  if (star == std::string_view::npos) return std::string(tag);
  std::string out(tag.substr(0, star));
  std::string middle;
  for (const char c : path) {
    const bool separator = c == '/' || c == '\\' || c == ':';
    const char put = separator ? '.' : c;
    const bool doubled = put == '.' && (middle.empty() || middle.back() == '.');
    if (!doubled) middle += put;
  }
  out += middle;
  out += tag.substr(star + 1);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

}  // namespace logweir::tail
