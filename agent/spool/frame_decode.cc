// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string>

#include "spool/frame.h"
#include "spool/frame_layout.h"

namespace logweir {

namespace {

// Value. Bytes still to be read, from the front. A `take` beyond the end gives nothing and marks the whole as bad.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  std::string_view take(std::uint64_t size) {
    if (size > left_.size()) {
      bad_ = true;
      left_ = {};
      return {};
    }
    const std::string_view taken = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(taken.size());
    return taken;
  }
  template <typename T>
  T number() {
    const std::string_view bytes = take(sizeof(T));
    return bad_ ? T{} : load<T>(bytes.data());
  }
  [[nodiscard]] bool bad() const { return bad_; }
  [[nodiscard]] std::string_view left() const { return left_; }

 private:
  std::string_view left_;
  bool bad_ = false;
};

Status corrupt(const FrameHead& head, std::string_view what) {
  return {Code::corrupt,
          "read frame " + std::to_string(head.sequence) + " of a spool: " + std::string(what) + "; it is passed over"};
}

bool read_origin(Bytes& bytes, StoredOrigin& origin) {
  origin.bytes = bytes.take(bytes.number<std::uint32_t>());
  Bytes inner(origin.bytes);
  const auto tag = inner.number<std::uint32_t>();
  const auto text_key = inner.number<std::uint32_t>();
  const auto offset_key = inner.number<std::uint32_t>();
  const auto attached = inner.number<std::uint32_t>();
  Bytes sizes(inner.take(std::uint64_t{attached} * 8));
  if (bytes.bad() || inner.bad()) return false;
  origin.tag = inner.take(tag);
  origin.text_key = inner.take(text_key);
  origin.offset_key = inner.take(offset_key);
  origin.attached.reserve(attached);
  for (std::uint32_t i = 0; i != attached; ++i) {
    const std::string_view key = inner.take(sizes.number<std::uint32_t>());
    origin.attached.emplace_back(key, inner.take(sizes.number<std::uint32_t>()));
  }
  return !inner.bad() && inner.left().empty();
}

// What encoders take for granted of a body: a JSON one is an object's text.
bool body_holds(const Record& record) {
  if (record.body != Body::json) return record.body <= Body::fields;
  return record.size >= 2 && record.data[0] == '{' && record.data[record.size - 1] == '}';
}

bool read_record(const char* at, Bytes& texts, Record& record) {
  record.time = load<Nanos>(at);
  record.position = load<std::uint64_t>(at + 8);
  record.keys = load<std::uint64_t>(at + 16);
  record.size = load<std::uint32_t>(at + 24);
  record.span = load<std::uint32_t>(at + 28);
  record.field_count = load<std::uint16_t>(at + 32);
  record.body = static_cast<Body>(load<std::uint8_t>(at + 34));
  record.flags = load<std::uint8_t>(at + 35);
  record.data = texts.take(record.size).data();
  return !texts.bad() && body_holds(record);
}

bool read_field(const char* at, Bytes& texts, const Record& record, Field& field) {
  const auto value = load<std::uint64_t>(at);
  const auto kind = load<std::uint32_t>(at + 20);
  if (kind > static_cast<std::uint32_t>(Value::Kind::removed)) return false;
  field.cut_begin = load<std::uint32_t>(at + 12);
  field.cut_end = load<std::uint32_t>(at + 16);
  if (field.cut_begin > field.cut_end || (field.cut_end > 0 && field.cut_end >= record.size)) return false;
  field.key = texts.take(load<std::uint32_t>(at + 8));
  field.value.kind = static_cast<Value::Kind>(kind);
  if (has_text(field.value.kind)) {
    field.value.text = texts.take(value);
  } else if (field.value.kind == Value::Kind::real) {
    field.value.real = std::bit_cast<double>(value);
  } else {
    field.value.integer = static_cast<std::int64_t>(value);
  }
  return !texts.bad();
}

// Fills the batch's tables from the heads; `texts` is the copy that belongs to the batch.
bool read_tables(const FrameHead& head, Bytes records, Bytes fields, Bytes texts, Batch& batch) {
  batch.records.resize(head.records);
  batch.fields.resize(head.fields);
  std::uint32_t next = 0;
  for (Record& record : batch.records) {
    if (!read_record(records.take(kRecordHead).data(), texts, record)) return false;
    if (record.field_count > head.fields - next) return false;
    record.fields = next;
    next += record.field_count;
    for (std::uint32_t f = record.fields; f != next; ++f) {
      if (!read_field(fields.take(kFieldHead).data(), texts, record, batch.fields[f])) return false;
    }
    batch.bytes += record.size;
  }
  return next == head.fields && texts.left().empty();
}

}  // namespace

Result<BatchRef> decode_frame(std::string_view bytes, BatchPool& batches, OriginSource& origins, Use use) {
  ChunkRef room;
  return decode_frame(bytes, batches, origins, use, room);
}

Result<BatchRef> decode_frame(std::string_view bytes, BatchPool& batches, OriginSource& origins, Use use,
                              ChunkRef& room) {
  FrameHead head;
  if (const auto found =
          bytes.size() < kFrameHead ? std::nullopt : read_head(bytes, load<std::uint64_t>(bytes.data()))) {
    head = *found;
  } else {
    return Status(Code::corrupt, "read a frame of a spool: it has no head; it is passed over");
  }
  if (bytes.size() < kFrameHead + head.size) return corrupt(head, "its end is missing");
  Bytes payload(bytes.substr(kFrameHead, head.size));
  const auto source = payload.number<std::uint64_t>();
  StoredOrigin origin;
  if (!read_origin(payload, origin)) return corrupt(head, "its origin makes no sense");
  const Bytes records(payload.take(std::uint64_t{head.records} * kRecordHead));
  const Bytes fields(payload.take(std::uint64_t{head.fields} * kFieldHead));
  if (payload.bad() || head.records == 0) return corrupt(head, "its tables are not there");

  const std::string_view texts = payload.left();
  if (!room || room->room() < texts.size()) {
    room = batches.pool().take(use, texts.size());
    if (!room) return Status(Code::full, "read a frame of a spool: the memory budget has no room for it now");
  }
  char* const copy = room->free_space();
  if (!texts.empty()) std::memcpy(copy, texts.data(), texts.size());
  room->used += static_cast<std::uint32_t>(texts.size());
  BatchRef batch = batches.make();
  batch->hold(room);
  batch->source = source;
  if (!read_tables(head, records, fields, Bytes({copy, texts.size()}), *batch)) {
    return corrupt(head, "its records make no sense");
  }
  batch->origin = origins.origin(origin);
  return batch;
}

}  // namespace logweir
