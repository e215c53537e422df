// SPDX-License-Identifier: Apache-2.0
// Whatever an agent's admin port answers, `logweir top` draws lines without control characters of at most the width
// asked for; and JSON stays JSON when values are hidden.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/redact.h"
#include "app/top_table.h"
#include "base/check.h"

using namespace logweir;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string hidden = redacted(text, {"name", "nodes"});
  const auto tree = read_json(text);
  if (!tree.ok()) return 0;
  LW_CHECK(read_json(hidden).ok());
  const std::size_t width = size % 150;
  for (const std::string& line : top_lines(tree.value(), tree.value(), width)) {
    LW_CHECK(
        std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }));
    const auto letters = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    LW_CHECK(static_cast<std::size_t>(letters) <= width);
  }
  return 0;
}
