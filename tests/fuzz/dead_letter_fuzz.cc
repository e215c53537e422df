// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/dlq.h"
#include "base/check.h"
#include "pipeline/shedding.h"
#include "state/letter_file.h"

// What the store holds may be anything: it is shown on one line. Nor does a severity's text do any harm.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  logweir::Letter letter;
  letter.tag = letter.answer = letter.text_key = letter.reason = text;
  letter.body = text;
  letter.text = size % 2 == 0;
  const std::string json = logweir::letter_json(letter);
  LW_CHECK(json.starts_with('{') && json.ends_with('}'));
  if (letter.text) LW_CHECK(json.find('\n') == std::string::npos);
  const auto severity = logweir::severity_of(text);
  LW_CHECK(!severity || (*severity >= 0 && *severity <= 8));
  return 0;
}
