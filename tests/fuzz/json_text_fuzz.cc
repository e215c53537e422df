// SPDX-License-Identifier: Apache-2.0
// Any bytes become the inside of a JSON string that means them, but for what was not UTF-8; both kernels agree.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "codec/json_text.h"
#include "codec/kernel.h"

namespace {

std::string written(const logweir::Kernel& kernel, std::string_view bytes, std::uint64_t& repaired) {
  std::string out(logweir::json_bound(bytes.size()) + logweir::kJsonSlack, '\0');
  const char* const end = kernel.write_text(out.data(), bytes.data(), bytes.data() + bytes.size(), repaired);
  out.resize(static_cast<std::size_t>(end - out.data()));
  LW_CHECK(kernel.measure_text(bytes.data(), bytes.data() + bytes.size()) == out.size());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::uint64_t repaired = 0;
  const std::string text = written(logweir::kernel(), bytes, repaired);
  std::uint64_t repaired_plainly = 0;
  LW_CHECK(written(logweir::kSse2Kernel, bytes, repaired_plainly) == text);
  LW_CHECK(repaired_plainly == repaired);

  simdjson::dom::parser parser;
  std::string_view meaning;
  LW_CHECK(parser.parse("[\"" + text + "\"]").at(0).get(meaning) == simdjson::SUCCESS);
  LW_CHECK((repaired == 0) == simdjson::validate_utf8(bytes));
  if (repaired == 0) LW_CHECK(meaning == bytes);
  return 0;
}
