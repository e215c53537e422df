// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/schema.h"
#include "config/tree.h"

// Any bytes as a classic conf, and its values as sizes and durations: never a crash.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  logweir::Problems problems;
  const logweir::ConfTree tree = logweir::read_conf_text(text, "fuzz.conf", problems);
  for (const auto& node : tree.inputs) {
    if (node.kind != logweir::Node::Kind::map || node.entries.size() != node.key_places.size()) std::abort();
    for (const auto& [key, value] : node.entries) {
      (void)logweir::parse_size(value.scalar);
      if (const auto length = logweir::parse_duration(value.scalar); length && *length < 0) std::abort();
    }
  }
  (void)problems.text();
  return 0;
}
