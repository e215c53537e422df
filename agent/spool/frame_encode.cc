// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string>

#include "base/check.h"
#include "spool/crc32c.h"
#include "spool/frame.h"
#include "spool/frame_layout.h"

namespace logweir {

namespace {

std::size_t origin_size(const Origin& origin) {
  std::size_t size = kOriginHead + origin.tag->text.size() + origin.text_key.size() + origin.offset_key.size();
  for (const auto& [key, value] : origin.attached) size += 8 + key.size() + value.size();
  return size;
}

char* put(char* at, std::string_view text) {
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

char* put_origin(char* at, const Origin& origin) {
  const auto size_of = [](std::string_view text) { return static_cast<std::uint32_t>(text.size()); };
  at = store(at, static_cast<std::uint32_t>(origin_size(origin) - 4));
  at = store(at, size_of(origin.tag->text));
  at = store(at, size_of(origin.text_key));
  at = store(at, size_of(origin.offset_key));
  at = store(at, static_cast<std::uint32_t>(origin.attached.size()));
  for (const auto& [key, value] : origin.attached) at = store(store(at, size_of(key)), size_of(value));
  at = put(put(put(at, origin.tag->text), origin.text_key), origin.offset_key);
  for (const auto& [key, value] : origin.attached) at = put(put(at, key), value);
  return at;
}

char* put_record(char* at, const Record& record) {
  at = store(at, record.time);
  at = store(at, record.position);
  at = store(at, record.keys);
  at = store(at, record.size);
  at = store(at, record.span);
  at = store(at, record.field_count);
  at = store(at, static_cast<std::uint8_t>(record.body));
  return store(at, record.flags);
}

std::uint64_t number_of(const Value& value) {
  if (has_text(value.kind)) return value.text.size();
  if (value.kind == Value::Kind::real) return std::bit_cast<std::uint64_t>(value.real);
  return static_cast<std::uint64_t>(value.integer);
}

char* put_field(char* at, const Field& field) {
  at = store(at, number_of(field.value));
  at = store(at, static_cast<std::uint32_t>(field.key.size()));
  at = store(at, field.cut_begin);
  at = store(at, field.cut_end);
  return store(at, static_cast<std::uint32_t>(field.value.kind));
}

// Of one record with its fields, heads and texts.
std::size_t record_size(const Batch& batch, const Record& record) {
  std::size_t size = kRecordHead + record.size + std::size_t{record.field_count} * kFieldHead;
  for (std::uint32_t i = record.fields; i != record.fields + record.field_count; ++i) {
    const Field& field = batch.fields[i];
    size += field.key.size() + (has_text(field.value.kind) ? field.value.text.size() : 0);
  }
  return size;
}

}  // namespace

FramePlan plan_frame(const Part& part, std::size_t most) {
  FramePlan plan;
  std::size_t size = kFrameHead + 8 + origin_size(*part.batch->origin.get());
  for (std::uint32_t i = part.first; i != part.last; ++i) {
    const Record& record = part.batch->records[i];
    const std::size_t with = size + record_size(*part.batch, record);
    if (with > kLargestPayload || (plan.records > 0 && with > most)) break;
    size = with;
    ++plan.records;
    plan.fields += record.field_count;
  }
  plan.bytes = (size + 7) & ~std::size_t{7};
  plan.padding = static_cast<std::uint32_t>(plan.bytes - size);
  return plan;
}

void encode_frame(const Part& part, const FramePlan& plan, const FrameStamp& stamp, char* out) {
  const Batch& batch = *part.batch;
  char* record_at = put_origin(store(out + kFrameHead, batch.source), *batch.origin.get());
  char* field_at = record_at + std::size_t{plan.records} * kRecordHead;
  char* text_at = field_at + std::size_t{plan.fields} * kFieldHead;
  for (std::uint32_t i = part.first; i != part.first + plan.records; ++i) {
    const Record& record = batch.records[i];
    record_at = put_record(record_at, record);
    text_at = put(text_at, record.text());
    for (std::uint32_t f = record.fields; f != record.fields + record.field_count; ++f) {
      const Field& field = batch.fields[f];
      field_at = put_field(field_at, field);
      text_at = put(text_at, field.key);
      if (has_text(field.value.kind)) text_at = put(text_at, field.value.text);
    }
  }
  LW_CHECK(text_at + plan.padding == out + plan.bytes);
  std::memset(text_at, 0, plan.padding);
  FrameHead head;
  head.sequence = stamp.sequence;
  head.wall = stamp.wall;
  head.size = static_cast<std::uint32_t>(text_at - out - kFrameHead);
  head.records = plan.records;
  head.fields = plan.fields;
  head.payload_crc = crc32c({out + kFrameHead, head.size});
  write_head(head, stamp.mark, out);
}

}  // namespace logweir
