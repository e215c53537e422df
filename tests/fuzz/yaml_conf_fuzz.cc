// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/tree.h"

// Any bytes as a YAML conf: either a tree or problems with places, never a crash.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  logweir::Problems problems;
  const logweir::ConfTree tree = logweir::read_conf_text(text, "fuzz.yaml", problems);
  for (const auto& node : tree.inputs) {
    if (node.kind != logweir::Node::Kind::map || node.entries.size() != node.key_places.size()) std::abort();
    (void)node.find("name");
  }
  (void)problems.text();
  return 0;
}
