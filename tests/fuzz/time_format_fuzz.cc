// SPDX-License-Identifier: Apache-2.0
// Any format and any text: a format line, a newline, then the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/date_text.h"
#include "codec/time_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = all.find('\n');
  if (newline == std::string_view::npos) return 0;
  const auto format = logweir::TimeFormat::compile(all.substr(0, newline), {newline % 2 == 0 ? "" : "+0530", true});
  if (!format.ok()) return 0;
  for (const logweir::Nanos now : {logweir::Nanos{0}, INT64_MAX, INT64_MIN, 1'700'000'000 * logweir::kSecond}) {
    const auto time = format.value().parse(all.substr(newline + 1), now);
    if (!time) continue;
    for (int i = 0; i <= static_cast<int>(logweir::DateFormat::java_sql_timestamp); ++i) {
      (void)logweir::DateText(static_cast<logweir::DateFormat>(i)).of(*time);
    }
  }
  return 0;
}
