// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "plugins/inputs/tail/fact.h"

// Whatever is taken is written back, perhaps shorter (a path that is the stream's), and then stays as it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto fact = logweir::tail::read_fact("00000000000000ff", text);
  if (!fact) return 0;
  const std::string written = logweir::tail::write_fact(*fact);
  const auto again = logweir::tail::read_fact("00000000000000ff", written);
  LW_CHECK(written.size() <= text.size() && again && logweir::tail::write_fact(*again) == written);
  return 0;
}
