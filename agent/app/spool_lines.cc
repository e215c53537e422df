// SPDX-License-Identifier: Apache-2.0
#include "app/spool_lines.h"

#include <algorithm>

#include "app/admin_pages.h"
#include "app/cli_text.h"
#include "spool/frame.h"

namespace logweir {

namespace {

// The origin of one frame; its tag lives as long as this.
class FrameOrigin final : public OriginSource {
 public:
  OriginRef origin(const StoredOrigin& stored) override {
    tag_.text = stored.tag;
    Origin origin;
    origin.tag = &tag_;
    origin.text_key = stored.text_key;
    origin.offset_key = stored.offset_key;
    for (const auto& [key, value] : stored.attached) origin.attached.emplace_back(key, value);
    return OriginRef::make(std::move(origin));
  }

 private:
  Tag tag_{"", 0};
};

}  // namespace

Status SpoolLines::each(std::string_view frame, const std::string& output,
                        const std::function<bool(std::string_view)>& tell) {
  FrameOrigin origins;
  auto decoded = decode_frame(frame, batches_, origins, Use::outflow);
  if (!decoded.ok()) return decoded.status();
  Batch& batch = *decoded.value();
  ordinals_.restart();
  for (std::uint32_t i = 0; i != batch.records.size(); ++i) {
    begin_line(batch, batch.records[i], output);
    if (!add_record(batch, i))
      return {Code::full, "print a record of a spool: it is too large for the memory there is"};
    if (!tell(line_)) break;
  }
  return {};
}

void SpoolLines::begin_line(const Batch& batch, const Record& record, const std::string& output) {
  line_ = R"({"output":)";
  append_json(line_, output);
  line_ += R"(,"tag":)";
  append_json(line_, batch.origin->tag->text);
  if (batch.source != 0) {
    line_ += R"(,"id":")";
    line_ += RecordId(batch.source, record.position, ordinals_.of(batch, record)).text();
    line_ += '"';
  }
  line_ += R"(,"time":")" + date_of(record.time) + R"(","record":)";
}

bool SpoolLines::add_record(Batch& batch, std::uint32_t index) {
  bodies_.distrust(batch.records[index]);
  Pieces pieces(pool_);
  if (encoder_.encode({&batch, index, index + 1}, pieces, SIZE_MAX) != 1) return false;
  const std::size_t begin = line_.size();
  for (const iovec& piece : pieces.front(SIZE_MAX))
    line_.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  // The body of a JSON record is as it came, perhaps in several lines. In JSON these bytes can only be blanks.
  std::replace_if(
      line_.begin() + static_cast<std::ptrdiff_t>(begin), line_.end(),
      [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  while (line_.back() == ' ') line_.pop_back();
  line_ += '}';
  return true;
}

}  // namespace logweir
