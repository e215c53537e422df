// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "plugins/inputs/tail/fact.h"

// Whatever is taken must be written back byte for byte.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto fact = logweir::tail::read_fact("00000000000000ff", text);
  if (fact) LW_CHECK(logweir::tail::write_fact(*fact) == text);
  return 0;
}
