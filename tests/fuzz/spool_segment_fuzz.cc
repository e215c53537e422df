// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "spool/crc32c.h"
#include "spool/segment_reader.h"
#include "tests/support/spool_frames.h"

namespace {

using namespace logweir;

constexpr std::uint64_t kMark = 0x4d4d4d4d4d4d4d4d;

// A segment's file whose label is left out.
class FuzzFile final : public DiskFile {
 public:
  explicit FuzzFile(std::string bytes) : bytes_(std::move(bytes)) {}
  Status write(std::span<const iovec>, std::uint64_t) override { return Status(Code::io, "read only"); }
  Result<std::size_t> read(char* into, std::size_t size, std::uint64_t offset) override {
    const std::size_t from = offset < kSegmentStart ? 0 : offset - kSegmentStart;
    const std::size_t got = std::min(size, bytes_.size() - std::min(bytes_.size(), from));
    if (got > 0) std::memcpy(into, bytes_.data() + from, got);
    return got;
  }
  Status sync() override { return {}; }
  Status allocate(std::uint64_t) override { return {}; }
  Status truncate(std::uint64_t) override { return {}; }

 private:
  std::string bytes_;
};

// Without right checks nothing would get behind the head, so most heads get them: 'M' eight times marks one.
void seal_frames(std::string& bytes) {
  for (std::size_t at = 0; at + kFrameHead <= bytes.size(); at += 8) {
    if (load<std::uint64_t>(bytes.data() + at) != kMark || (bytes[at + 42] & 1) != 0) continue;
    char* const head = bytes.data() + at;
    store(head + 40, kSpoolVersion);
    const std::size_t left = bytes.size() - at - kFrameHead;
    const auto size = static_cast<std::uint32_t>(load<std::uint32_t>(head + 32) % (left + 1));
    store(head + 32, size);
    store(head + 12, crc32c({head + kFrameHead, size}));
    store(head + 8, crc32c({head + 12, kFrameHead - 12}));
  }
}

// What was decoded must encode to the same bytes.
void check_frame(const SegmentReader::Step& step) {
  Budget budget(8 << 20);
  Account account(budget);
  Pool pool(account, 1024);
  BatchPool batches(pool);
  TestOrigins origins;
  auto decoded = decode_frame(step.frame, batches, origins, Use::outflow);
  if (!decoded.ok()) return;
  Batch& batch = *decoded.value();
  const Part part{&batch, 0, static_cast<std::uint32_t>(batch.records.size())};
  const std::string again = frame_of(part, {kMark, step.head.sequence, step.head.wall});
  LW_CHECK(again.size() == step.frame.size());
  LW_CHECK(std::memcmp(again.data() + kFrameHead, step.frame.data() + kFrameHead, step.head.size) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  seal_frames(bytes);
  SegmentReader reader(std::make_unique<FuzzFile>(bytes), kMark, 1);
  std::uint64_t last = 0;
  std::size_t frames = 0;
  while (true) {
    const auto step = reader.next(1000);
    LW_CHECK(step.ok());
    if (!step.value().found) break;
    LW_CHECK(step.value().head.sequence > last);
    last = step.value().head.sequence;
    check_frame(step.value());
    LW_CHECK(++frames <= size / kFrameHead);
  }
  return 0;
}
