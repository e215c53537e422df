// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "spool/crc32c.h"
#include "spool/state_record.h"

// The two slots are built of the input with right checks (else nothing would get behind them), and as it is. A label
// that is taken must be written as it was read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace logweir;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)read_state(bytes);
  bytes.resize(2 * kLabelSize);
  std::string file(2 * kSegmentStart, '\0');
  for (std::size_t slot = 0; slot < 2; ++slot) {
    char* const at = file.data() + slot * kSegmentStart;
    bytes.copy(at, kLabelSize, slot * kLabelSize);
    char good[kLabelSize];
    write_label(SpoolLabel(), good);
    if ((at[0] & 1) == 0) std::memcpy(at, good, 8);
    store(at + 12, load<std::uint32_t>(good + 12));
    store(at + 8, crc32c({at + 12, kLabelSize - 12}));
  }
  const auto label = read_state(file);
  if (!label) return 0;
  LW_CHECK(label->b <= label->c);
  LW_CHECK(label->instance.size() <= 216 && label->fingerprint.size() <= 216);
  char again[kLabelSize];
  write_label(*label, again);
  const auto back = read_label({again, sizeof again}, SpoolLabel::Kind::state);
  LW_CHECK(back && back->a == label->a && back->b == label->b && back->c == label->c && back->mark == label->mark);
  LW_CHECK(back->instance == label->instance && back->fingerprint == label->fingerprint);
  return 0;
}
