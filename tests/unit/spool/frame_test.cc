// SPDX-License-Identifier: Apache-2.0
#include "spool/frame.h"

#include <doctest/doctest.h>

#include <string>

#include "spool/crc32c.h"
#include "tests/support/spool_frames.h"

namespace logweir {

namespace {

Origin full_origin(const Tag& tag) {
  Origin origin;
  origin.tag = &tag;
  origin.text_key = "message";
  origin.offset_key = "offset";
  origin.attached = {{"path", "/var/log/a"}, {"", "empty key"}};
  return origin;
}

// One record of each body, and a field of each kind.
void fill(LineBatch& batch) {
  batch->source = 0xfeedfacecafebeef;
  batch.add("plain \xff text").flags = Record::kTruncated;
  const auto first = static_cast<std::uint32_t>(batch->fields.size());
  Record& json = batch.add(R"({"a":1,"b":2})");
  json.body = Body::json;
  json.keys = 42;
  json.fields = first;
  json.field_count = 2;
  batch->fields.push_back({batch.store("a"), {}, 1, 7});
  batch->fields.back().value.kind = Value::Kind::removed;
  batch->fields.push_back({batch.store("c"), {}, 0, 0});
  batch->fields.back().value.kind = Value::Kind::json;
  batch->fields.back().value.text = batch.store("[1,2]");
  Record& fields = batch.add("");
  fields.body = Body::fields;
  fields.data = nullptr;
  fields.fields = first + 2;
  fields.field_count = 4;
  Field field{batch.store("real"), {}, 0, 0};
  field.value.kind = Value::Kind::real;
  field.value.real = 0.25;
  batch->fields.push_back(field);
  field.key = batch.store("integer");
  field.value.kind = Value::Kind::integer;
  field.value.integer = -5;
  batch->fields.push_back(field);
  field.key = batch.store("string");
  field.value.kind = Value::Kind::string;
  field.value.text = batch.store("quoted \" text");
  batch->fields.push_back(field);
  field.key = batch.store("null");
  field.value = {};
  batch->fields.push_back(field);
}

void same_field(const Field& a, const Field& b) {
  CHECK(a.key == b.key);
  CHECK(a.cut_begin == b.cut_begin);
  CHECK(a.cut_end == b.cut_end);
  REQUIRE(a.value.kind == b.value.kind);
  if (a.value.kind == Value::Kind::string || a.value.kind == Value::Kind::json) {
    CHECK(a.value.text == b.value.text);
  } else {
    CHECK(a.value.integer == b.value.integer);
  }
}

void same_record(const Record& a, const Record& b) {
  CHECK(a.text() == b.text());
  CHECK(a.time == b.time);
  CHECK(a.position == b.position);
  CHECK(a.span == b.span);
  CHECK(a.keys == b.keys);
  CHECK(a.body == b.body);
  CHECK(a.flags == b.flags);
  CHECK(a.fields == b.fields);
  CHECK(a.field_count == b.field_count);
}

// Makes the checks of a frame right again after a change.
void seal(std::string& frame) {
  FrameHead head = *read_head(frame, 7);
  head.payload_crc = crc32c(std::string_view(frame).substr(kFrameHead, head.size));
  write_head(head, 7, frame.data());
}

}  // namespace

TEST_CASE("a frame gives back all that the records were") {
  const Tag tag{"app.log", 0};
  LineBatch batch(full_origin(tag));
  fill(batch);
  const std::string frame = frame_of(batch.all(), {7, 99, 123456});
  const auto head = read_head(frame, 7);
  REQUIRE(head);
  CHECK(head->sequence == 99);
  CHECK(head->wall == 123456);
  CHECK(head->records == 3);
  CHECK(head->frame_size() == frame.size());
  CHECK(payload_holds(*head, frame));

  BatchPool batches(batch.pool());
  TestOrigins origins;
  auto decoded = decode_frame(frame, batches, origins, Use::outflow);
  REQUIRE(decoded.ok());
  const Batch& back = *decoded.value();
  CHECK(back.source == batch->source);
  CHECK(back.bytes == batch->bytes);
  CHECK(back.origin->tag->text == "app.log");
  CHECK(back.origin->text_key == "message");
  CHECK(back.origin->offset_key == "offset");
  CHECK(back.origin->attached == batch->origin->attached);
  REQUIRE(back.records.size() == batch->records.size());
  REQUIRE(back.fields.size() == batch->fields.size());
  for (std::size_t i = 0; i != back.records.size(); ++i) same_record(back.records[i], batch->records[i]);
  for (std::size_t i = 0; i != back.fields.size(); ++i) same_field(back.fields[i], batch->fields[i]);
}

TEST_CASE("a part becomes as many frames as keep each within its size") {
  LineBatch batch;
  for (int i = 0; i < 100; ++i) batch.add(std::string(500, 'x'));
  Part part = batch.all();
  int frames = 0;
  while (part.count() > 0) {
    const FramePlan plan = plan_frame(part, 10'000);
    REQUIRE(plan.records > 0);
    CHECK(plan.bytes <= 10'007);
    part.first += plan.records;
    ++frames;
  }
  CHECK(frames == 6);
}

TEST_CASE("a record larger than the size wanted has a frame of its own, and none beyond the bound") {
  LineBatch batch({}, 512 << 20);
  batch.add(std::string(3 << 20, 'x'));
  batch.add("small");
  CHECK(plan_frame(batch.all(), 1 << 20).records == 1);
  LineBatch huge({}, 512 << 20);
  huge.add(std::string(kLargestPayload, 'x'));
  CHECK(plan_frame(huge.all()).records == 0);
}

TEST_CASE("a full pool is told apart from damage") {
  const std::string frame = frame_of({std::string(300 << 10, 'x')}, {7, 1, 0});
  Budget budget(400 << 10);
  Account account(budget);
  Pool pool(account);
  BatchPool batches(pool);
  TestOrigins origins;
  const ChunkRef taken = pool.take(Use::outflow);
  REQUIRE(taken);
  CHECK(decode_frame(frame, batches, origins, Use::outflow).status().code() == Code::full);
  CHECK(decode_frame(frame.substr(0, 100), batches, origins, Use::outflow).status().code() == Code::corrupt);
  CHECK(decode_frame("", batches, origins, Use::outflow).status().code() == Code::corrupt);
}

TEST_CASE("a frame with good checks and senseless numbers is refused") {
  LineBatch batch;
  fill(batch);
  const std::string good = frame_of(batch.all(), {7, 1, 0});
  BatchPool batches(batch.pool());
  TestOrigins origins;
  int refused = 0;
  for (std::size_t at = kFrameHead; at < good.size(); ++at) {
    for (const char change : {'\xff', '\x01'}) {
      std::string frame = good;
      frame[at] = static_cast<char>(frame[at] ^ change);
      seal(frame);
      auto decoded = decode_frame(frame, batches, origins, Use::outflow);
      if (!decoded.ok()) CHECK(decoded.status().code() == Code::corrupt);
      if (!decoded.ok()) ++refused;
    }
  }
  CHECK(refused > 100);
}

}  // namespace logweir
