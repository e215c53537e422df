// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "app/spool_lines.h"
#include "base/check.h"
#include "spool/format.h"

// The payload of a frame may be anything whose checks hold: whatever it is, a record of it is one line. The first bytes
// say how many records and fields the head promises.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace logweir;
  if (size < 2) return 0;
  FrameHead head;
  head.sequence = 1;
  head.records = data[0];
  head.fields = data[1];
  head.size = static_cast<std::uint32_t>(size - 2);
  std::string frame(kFrameHead, '\0');
  write_head(head, 1, frame.data());
  frame.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  static SpoolLines lines;
  std::size_t told = 0;
  const Status status = lines.each(frame, "peer", [&](std::string_view line) {
    LW_CHECK(line.starts_with(R"({"output":"peer")") && line.ends_with('}'));
    LW_CHECK(std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }));
    ++told;
    return true;
  });
  LW_CHECK(told <= head.records);
  LW_CHECK(status.ok() ? told == head.records : status.code() == Code::corrupt);
  return 0;
}
