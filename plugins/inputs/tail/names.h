// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace logweir::tail {

// Whether a tool has packed the file of that name (app.log.1.gz): left alone.
bool is_packed(std::string_view path);

// Whether `path` is `base` with something behind it, as rotation makes names: app.log.1, app.log-20260105, app.log~.
bool extends_name(std::string_view path, std::string_view base);
// Whether what stands behind `base` is a number or a date, so that the file surely is an older one of the same stream.
bool is_rotated_name(std::string_view path, std::string_view base);
// Of two names that rotation made of the same one: app.log.2 is older than app.log.1, app.log-20260105 than
// app.log-20260106. False when they don't tell.
bool is_older_name(std::string_view a, std::string_view b);
// Calls `each` with every shorter name that `path` may extend, the longest first, until it returns true.
template <typename Each>
void each_base(std::string_view path, Each each);

std::string_view directory_of(std::string_view path);  // "/" for names in the root

// The tag of a file: `*` is its path with separators as dots, Fluent Bit's way: t.* and /var/log/a.log make
// t.var.log.a.log.
std::string expand_tag(std::string_view tag, std::string_view path);

// ---- inline part ----

constexpr std::string_view kSuffixStart = ".-_~";

template <typename Each>
void each_base(std::string_view path, Each each) {
  const std::size_t name = path.rfind('/') + 1;
  for (std::size_t at = path.size(); at-- > name + 1;) {
    if (kSuffixStart.find(path[at]) != std::string_view::npos && each(path.substr(0, at))) return;
  }
}

}  // namespace logweir::tail
