// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spool/frame.h"
#include "tests/support/line_batch.h"

namespace logweir {

// Interns tags for decoded frames and makes their origins.
class TestOrigins final : public OriginSource {
 public:
  OriginRef origin(const StoredOrigin& stored) override {
    auto& tag = tags_[std::string(stored.tag)];
    if (!tag) tag = std::make_unique<Tag>(Tag{std::string(stored.tag), static_cast<std::uint32_t>(tags_.size() - 1)});
    Origin origin;
    origin.tag = tag.get();
    origin.text_key = stored.text_key;
    origin.offset_key = stored.offset_key;
    for (const auto& [key, value] : stored.attached) origin.attached.emplace_back(key, value);
    return OriginRef::make(std::move(origin));
  }

 private:
  std::map<std::string, std::unique_ptr<Tag>> tags_;
};

// All of a part as one frame.
inline std::string frame_of(const Part& part, const FrameStamp& stamp) {
  const FramePlan plan = plan_frame(part, kLargestPayload);
  std::string frame(plan.bytes, '?');
  encode_frame(part, plan, stamp, frame.data());
  return frame;
}

// A frame of these lines.
inline std::string frame_of(const std::vector<std::string>& lines, const FrameStamp& stamp) {
  LineBatch batch;
  for (const std::string& line : lines) batch.add(line);
  return frame_of(batch.all(), stamp);
}

// The lines of a frame; "?" when it can't be decoded.
inline std::vector<std::string> lines_of(std::string_view frame) {
  LineBatch memory;
  BatchPool batches(memory.pool());
  TestOrigins origins;
  auto decoded = decode_frame(frame, batches, origins, Use::outflow);
  if (!decoded.ok()) return {"?"};
  std::vector<std::string> lines;
  for (const Record& record : decoded.value()->records) lines.emplace_back(record.text());
  return lines;
}

}  // namespace logweir
