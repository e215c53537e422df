// SPDX-License-Identifier: Apache-2.0
#include "codec/json_text.h"

#include "codec/kernel.h"

namespace logweir {

char* write_json_text(char* out, std::string_view bytes, std::uint64_t& repaired) {
  return kernel().write_text(out, bytes.data(), bytes.data() + bytes.size(), repaired);
}

std::size_t measure_json_text(std::string_view bytes) {
  return kernel().measure_text(bytes.data(), bytes.data() + bytes.size());
}

}  // namespace logweir
